#!/bin/sh
# Made-up data for the pages docs/tutorial.md and docs/guide.md: nothing here was ever sent, visited or paid.
#
#   sh examples/made_up.sh mails    [ROWS] [SEED] [SUBJECT]   label<TAB>text: spam or ham; SUBJECT 1 to 4: what spam is about
#   sh examples/made_up.sh urls     [ROWS] [SEED]             label<TAB>URL: 1 is a trap
#   sh examples/made_up.sh payments [ROWS] [SEED]             csv with empty cells and a column of text; fraud: 1 in 50
#   sh examples/made_up.sh requests [ROWS] [SEED]             JSON Lines: a log of a web server; label attack or normal
#   sh examples/made_up.sh tickets  [ROWS] [SEED]             label<TAB>text: one of five departments
#
# The same arguments give the same bytes with every awk.
kind=${1:-help}
case $kind in
mails | urls | payments | requests | tickets) ;;
*) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
LC_ALL=C exec awk -v kind="$kind" -v rows="${2:-2000}" -v seed="${3:-1}" -v subject="${4:-1}" '
function luck() { state = (state * 48271) % 2147483647; return state / 2147483647 }
function below(n) { return int(luck() * n) }
function one(list,  words, n) { n = split(list, words, " "); return words[1 + below(n)] }
function first(list,  words, n) { n = split(list, words, " "); return words[1 + int(luck() * luck() * n)] }  # the first ones more often

function mail(spam,  n, text, u) {
    for (n = 6 + below(14); n > 0; n--) {
        u = luck()
        text = text " " (u < 0.5 ? first(common) : u < 0.74 ? one(spam ? about[subject] : work) : \
                         u < 0.84 ? one(spam ? lures[subject] : work) : u < 0.94 ? one(work) : one(about[1]))
    }
    return substr(text, 2)
}
function ticket(name,  n, text, u) {
    for (n = 6 + below(9); n > 0; n--) {
        u = luck()
        text = text " " (u < 0.45 ? first(common) : u < 0.86 ? one(own[name]) : one(own[one(departments)]))
    }
    return substr(text, 2)
}
function url(trap,  host, path, n) {
    if (trap && luck() < 0.9) {
        host = luck() < 0.5 ? one(brands) "-" one(bait) below(100) : one(bait) "." one(brands) "." one(bait) "-" below(1000)
        for (n = 1 + below(3); n > 0; n--) path = path "/" one(luck() < 0.6 ? bait : paths)
        if (luck() < 0.5) path = path ".php?id=" 100000 + below(900000)
    } else {
        host = one("www. www. news.") one(brands)
        for (n = below(4); n > 0; n--) path = path "/" one(paths)
        path = path (luck() < 0.2 ? "/" one(bait) : luck() < 0.3 ? "/?page=" below(50) : "/")
    }
    return "http" (luck() < 0.75 ? "s" : "") "://" host "." one("com org net de fr") ".example" path
}
function payment(fraud,  plain, u) {
    plain = !fraud || luck() < 0.2  # a fifth of the fraud looks like every payment
    u = luck()
    return sprintf("%.2f,%s,%s,%s,%s,\"%s\"", 2 + (plain ? 60 : 300) * u * u, plain || luck() < 0.4 ? 8 + below(14) : below(24),
                   luck() < 0.2 ? "" : plain || luck() < 0.5 ? 50 + below(1500) : below(60), luck() < 0.1 ? "" : plain ? first(countries) : one(countries),
                   plain ? first(shops) : one(shops), plain ? one(calm) ", " one(calm) : one(calm) ", " one(hasty))
}
function request(attack,  u) {
    u = luck()
    return sprintf("{\"label\": \"%s\", \"method\": \"%s\", \"status\": %s, \"bytes\": %d, \"agent\": {\"name\": \"%s\", \"bot\": %s}, \"path\": [\"%s\", \"%s\"]}",
                   attack ? "attack" : "normal", attack && u < 0.5 ? "POST" : one("GET GET GET HEAD POST"), attack && u < 0.7 ? one("404 403 500") : one("200 200 200 304 404"),
                   attack ? below(900) : 200 + below(9000), attack && u < 0.4 ? one("curl scanner python") : one("firefox chrome safari curl"),
                   luck() < (attack ? 0.5 : 0.1) ? "true" : "false", attack && u < 0.8 ? one("admin login cgi-bin wp") : one(paths), one(paths))
}
BEGIN {
    state = 1 + (seed * 7919) % 2147483646
    for (i = 0; i < 20; i++) luck()
    common = "the a and to of in for is on you we it this that with are be at have from your will can not as our all please here there new one just about what when so if was has they more out up now time day see get"
    work = "meeting report lunch project team draft notes review budget agenda friday monday thursday schedule office travel train flight hotel invoice contract customer server release branch test ticket question answer slides minutes call phone address photo family birthday dinner weekend football garden school kids book paper summer holiday thanks regards attached forward comment version deadline figures quarter plan workshop visit room coffee printer keys"
    about[1] = "free prize winner claim win cash lottery congratulations selected voucher gift bonus jackpot urgent"
    about[2] = "pills pharmacy discount weight loss doctor cheap order shipping prescription sale price deal save"
    about[3] = "bitcoin invest profit trading wallet crypto returns double income account transfer broker coin"
    about[4] = "parcel delivery customs fee tracking package held pay link verify courier failed reschedule confirm"
    lures[1] = "click now free offer limited act today money guaranteed urgent"
    lures[2] = "buy best quality safe approved easy natural online pack refill"
    lures[3] = "earn fast secret rich risk start join million chance simple"
    lures[4] = "action required final notice small before problem locked expires inspect"
    departments = "billing login shipping bug returns"
    own["billing"] = "invoice charge refund payment card amount bill twice subscription receipt price tax"
    own["login"] = "password reset account locked email code sign page user access forgot"
    own["shipping"] = "parcel delivery late address tracking damaged package box arrived order courier"
    own["bug"] = "crash error screen button broken version update slow freezes message app"
    own["returns"] = "return exchange size wrong colour label box send back order refund"
    brands = "bank post parcel cinema music photo market travel weather library"
    bait = "login secure verify account update confirm signin webscr wallet password support unlock"
    paths = "index news about contact products articles help images search archive team events blog docs"
    countries = "DE FR NL IT ES PL AT BE SE PT"
    shops = "grocery fuel restaurant clothing books online travel electronics games giftcards"
    calm = "order invoice monthly family gift thanks tickets dinner books rent"
    hasty = "urgent asap voucher code resale transfer crypto order gift"
    if (kind == "payments") print "fraud,amount,hour,card_days,country,shop,note"
    for (i = 0; i < rows; i++) {
        u = luck()
        if (kind == "mails") print (u < 0.4 ? "spam" : "ham") "\t" mail(u < 0.4)
        if (kind == "urls") print (u < 0.3) "\t" url(u < 0.3)
        if (kind == "payments") print (u < 0.02) "," payment(u < 0.02)
        if (kind == "requests") print request(u < 0.1)
        if (kind == "tickets") { split(departments, names, " "); name = names[1 + int(u * 5)]; print name "\t" ticket(name) }
    }
}'
