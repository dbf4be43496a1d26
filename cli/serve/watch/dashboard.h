/* The page that shows live what the server does: what it keeps between its events. */
#ifndef CLI_DASHBOARD_H
#define CLI_DASHBOARD_H

typedef struct dashboard dashboard;

/* NULL: no memory. */
dashboard *dashboard_new(void);
void dashboard_free(dashboard *d);

#endif
