#include "page.h"

#include "html.h"

/* The colours are those of Okabe and Ito, which all kinds of eyes tell apart; yellow is left out, white paper shows it
 * badly. */
static const char style[] =
    ":root{--paper:#fff;--ink:#1a1a1a;--faint:#666;--rule:#ddd;color-scheme:light dark}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e8e8e8;--faint:#a0a0a0;--rule:#3a3d42}}\n"
    "body{margin:2rem auto;max-width:62rem;padding:0 1rem;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0 0 1rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    "svg{width:100%;height:auto;display:block}svg text{fill:var(--ink);font-family:inherit}\n"
    ".tick{font-size:13px}.axis{font-size:14px}.legend{font-size:14px}svg .faint{fill:var(--faint);font-size:12px}\n"
    ".grid{stroke:var(--rule);fill:none}.frame{stroke:var(--ink);fill:none}\n"
    ".line{stroke:var(--c);fill:none;stroke-width:1.8}.bar{stroke:var(--c);fill:none;stroke-width:1.2}\n"
    ".mark{stroke:var(--c);fill:var(--c);fill-opacity:.85;stroke-width:1.8}.hit{fill:transparent}\n"
    ".point:hover .mark{stroke:var(--ink)}\n"
    ".c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#cc79a7}.c4{--c:#e69f00}.c5{--c:#56b4e9}.c6{--c:var(--ink)"
    "}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15rem .7rem;text-align:right}\n"
    "th{border-bottom:1px solid var(--ink);font-weight:600}.name{text-align:left}td{white-space:nowrap}\n"
    "td.why{white-space:normal;text-align:left}.tables{overflow-x:auto}\n"
    "figure{margin:0}.wide{overflow-x:auto}.wide svg{min-width:40rem}\n"
    "tr.first td{border-top:1px solid var(--rule)}td svg{width:26px;height:16px;display:inline-block;"
    "vertical-align:-3px;margin-right:.4rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--faint)}dd{margin:0;"
    "overflow-wrap:anywhere}code{font-family:ui-monospace,monospace;font-size:.92em}\n"
    "#tip{position:fixed;display:none;pointer-events:none;background:var(--ink);color:var(--paper);padding:.2rem .5rem;"
    "border-radius:4px;font-size:13px;max-width:24rem}\n"
    "@media print{@page{margin:15mm}body{margin:0;max-width:none;font-size:10pt;"
    "-webkit-print-color-adjust:exact;print-color-adjust:exact}svg,tr{break-inside:avoid}h2{break-after:avoid}"
    "thead{display:table-header-group}table{font-size:8.5pt}th,td{padding:.1rem .4rem}}\n";

/* Titles show by themselves, but late. */
static const char script[] =
    "const tip=document.getElementById('tip');\n"
    "for(const p of document.querySelectorAll('.point')){\n"
    "const t=p.querySelector('title'),text=t.textContent;t.remove();p.setAttribute('aria-label',text);\n"
    "p.addEventListener('mousemove',e=>{tip.textContent=text;tip.style.display='block';\n"
    "tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+'px';tip.style.top=(e.clientY+16)+'px'});\n"
    "p.addEventListener('mouseleave',()=>{tip.style.display='none'})}\n";

void page_start(FILE *out, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    html_text(out, title);
    fprintf(out, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
    html_text(out, title);
    fputs("</h1>\n", out);
}

void page_end(FILE *out) { fprintf(out, "<div id=\"tip\"></div>\n<script>\n%s</script>\n</body>\n</html>\n", script); }

void page_fact(FILE *out, const char *name, const char *text) {
    fprintf(out, "<dt>%s</dt><dd>", name);
    html_text(out, text);
    fputs("</dd>\n", out);
}
