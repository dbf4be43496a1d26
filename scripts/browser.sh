#!/bin/sh
# Opens a page of `sluice sweep --html` in chromium and fails if the browser complains: browser.sh SLUICE FOLDER
set -eu
export LC_ALL=C
sluice=$(realpath "$1")
mkdir -p "$2" && cd "$2"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "browser.sh: no chromium; on Debian: apt-get install chromium" >&2
    exit 1
}
"$sluice" synth sparse -q -P rows=5000 -P dim=3000 -o page.svm
"$sluice" sweep -q -a ssol,fsol,ftrl --repeats 2 --html page.html page.svm >/dev/null

# an element that only the page's own script makes: it has run to its end
"$browser" --headless --no-sandbox --disable-gpu --enable-logging=stderr --dump-dom "file://$PWD/page.html" >dom.html 2>log
if grep "CONSOLE" log; then
    echo "browser.sh: the page complains" >&2
    exit 1
fi
labels=$(grep -c 'aria-label="[a-z]* l' dom.html)
[ "$labels" -eq 48 ] || {
    echo "browser.sh: $labels of 48 points have their label: the script did not run" >&2
    exit 1
}
"$browser" --headless --no-sandbox --disable-gpu --window-size=1100,1500 --screenshot=page.png "file://$PWD/page.html" 2>>log
"$browser" --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf=page.pdf "file://$PWD/page.html" 2>>log
echo "no complaints; see $2/page.png and $2/page.pdf"
