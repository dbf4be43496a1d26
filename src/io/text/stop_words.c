/* The stop words that come with the library. */
#include "sluice.h"

#include <string.h>

/* Words that give a sentence its grammar and say nothing of its subject; of those with an apostrophe, both parts.
 * "not", "no" and the like are left in texts: they turn what is said round. */
static const char english[] =
    "a am an and are as at be been being but by d did do does doing for from had has have having he her hers herself "
    "him himself his i if in into is it its itself ll m me my myself of off on onto or our ours ourselves out over re "
    "s she so than that the their theirs them themselves then there these they this those through to too under until "
    "up upon us ve was we were what when where which while who whom whose why will with you your yours yourself "
    "yourselves";

const char *sluice_stop_words(const char *language) { return strcmp(language, "english") == 0 ? english : NULL; }
