/* Writes what all pages share: style, script, title. */
#include "page/page.h"

#include "page/html.h"

/* The colours are those of Okabe and Ito, which colour-blind readers can tell apart; without yellow, which is hard to
 * see on white. The dark ones are a little lighter on a dark screen. */
/* clang-format off */
static const char *const styles[] = {
    ":root{--paper:#fff;--ink:#1a1a1a;--faint:#666;--rule:#ddd;color-scheme:light dark}\n"
    ".c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#cc79a7}.c4{--c:#e69f00}.c5{--c:#56b4e9}.c6{--c:var(--ink)}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e8e8e8;--faint:#a0a0a0;--rule:#3a3d42}\n"
    ".c0{--c:#2b8fd0}.c1{--c:#e2702a}}\n"
    /* text */
    "body{margin:2rem auto;max-width:62rem;padding:0 1rem;background:var(--paper);color:var(--ink);\n"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0 0 1rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:0 0 .8rem}\n"
    "code{font-family:ui-monospace,monospace;font-size:.92em;overflow-wrap:anywhere}\n"
    "small,dt,caption,.key,.card span{color:var(--faint)}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dd{margin:0;overflow-wrap:anywhere}\n"
    ".note{border-left:4px solid #e69f00;padding:.2rem .8rem;margin:1rem 0}\n"
    ".cards{display:grid;grid-template-columns:repeat(4,1fr);gap:.6rem;margin:1.2rem 0}\n"
    ".card{border:1px solid var(--rule);border-radius:6px;padding:.5rem .7rem}\n"
    ".card b{display:block;font-size:1.4em;font-variant-numeric:tabular-nums}\n"
    ".card span{display:block;font-size:.87em;line-height:1.3}\n",
    /* charts */
    "svg{width:100%;height:auto;display:block}svg text{fill:var(--ink);font-family:inherit}\n"
    ".tick{font-size:13px}.axis{font-size:14px}.legend{font-size:14px}svg .faint{fill:var(--faint);font-size:12px}\n"
    ".grid{stroke:var(--rule);fill:none}.frame{stroke:var(--ink);fill:none}\n"
    ".dashed{stroke:var(--faint);stroke-dasharray:5 4}\n"
    ".line{stroke:var(--c);fill:none;stroke-width:1.8}.line.thin{stroke-width:1.4}\n"
    ".rest{--c:var(--faint)}.line.lead{stroke-width:4;stroke-linejoin:round}\n"
    ".bar{stroke:var(--c);fill:none;stroke-width:1.2}\n"
    ".mark{stroke:var(--c);fill:var(--c);fill-opacity:.85;stroke-width:1.8}.hit{fill:transparent}\n"
    ".quiet{opacity:0}.point:hover .quiet{opacity:1}.point:hover .mark{stroke:var(--ink)}\n"
    "figure{margin:0}.wide{max-width:52rem;margin-bottom:1.2rem}\n"
    ".d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 2.5}.d3{stroke-dasharray:8 3 2 3}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1.5rem 2rem}\n"
    "figcaption{font-size:.93em;line-height:1.4;margin-bottom:.4rem}figcaption b{display:block}\n"
    ".key{white-space:nowrap;margin-right:1.2rem}\n"
    ".key svg{display:inline-block;width:28px;height:12px;margin-right:.35rem;vertical-align:-1px}\n"
    ".key .symbol{height:16px;vertical-align:-3px}\n"
    /* a picture alone is large on a large screen, its text need not be */
    "@media screen and (min-width:50rem){.wide .tick,.wide svg .faint{font-size:10px}.wide .axis{font-size:11px}}\n",
    /* tables */
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15rem .7rem;text-align:right}\n"
    "th{border-bottom:1px solid var(--ink);font-weight:600}.name{text-align:left}td{white-space:nowrap}\n"
    ".worst td.why{overflow-wrap:anywhere}.worst td{vertical-align:top}\n"
    "td.why{white-space:normal;text-align:left}caption{text-align:left;padding:0 0 .2rem}.tables{overflow-x:auto}\n"
    "tr.first td{border-top:1px solid var(--rule)}.thresholds{margin:1rem 0 .5rem}\n"
    "tr.now td{font-weight:600;background:color-mix(in srgb,#d55e00 14%,var(--paper))}\n"
    "td svg{width:28px;height:16px;display:inline-block;vertical-align:-3px;margin-right:.4rem}\n"
    ".columns,.sides{display:flex;flex-wrap:wrap;gap:1.2rem 3rem;align-items:flex-start}\n"
    ".rows th,.matrix th{border:0;font-weight:400;text-align:left;padding-left:0}.rows td{padding-right:0}\n"
    ".matrix th,.matrix td{text-align:center;line-height:1.35}.cell b{font-size:1.2em}\n"
    ".cell{border:2px solid var(--paper);padding:.5rem .9rem;background:color-mix(in srgb,var(--c) var(--s),var(--paper))}\n"
    ".weights{table-layout:fixed;flex:1 1 20rem}.weights td{padding:.1rem .4rem}\n"
    ".weights td.name{white-space:normal;overflow-wrap:anywhere;padding-left:0}\n"
    ".weights td:last-child{width:4.5rem;padding-right:0}.weights td.bars{width:36%}\n"
    ".bars i{display:block;height:.75em;background:var(--c);min-width:1px}\n"
    "#tip{position:fixed;display:none;pointer-events:none;background:var(--ink);color:var(--paper);padding:.2rem .5rem;\n"
    "border-radius:4px;font-size:13px;max-width:min(24rem,90vw)}\n",
    /* phones, paper */
    "@media(max-width:40rem){body{margin:1rem auto}.cards{grid-template-columns:repeat(2,1fr)}.matrix .cell{padding:.4rem}\n"
    ".matrix td,.matrix th{padding:.15rem .3rem}.tables table{font-size:12px}.tables th{font-size:11px}\n"
    ".tables td,.tables th{padding:.15rem .2rem;white-space:normal;line-height:1.25}\n"
    ".tables .thresholds td{white-space:nowrap}.tables .thresholds td.name{white-space:normal}\n"
    ".tables .less{display:none}.tables span{overflow-wrap:anywhere}.tables td.name{width:99%}.tables td svg{width:22px}}\n"
    "@media print{@page{margin:15mm}body{margin:0;max-width:none;font-size:10pt;\n"
    "-webkit-print-color-adjust:exact;print-color-adjust:exact}svg,tr,figure,.matrix,.card{break-inside:avoid}\n"
    "h2,h2+p{break-after:avoid}thead{display:table-header-group}table{font-size:8.5pt}th,td{padding:.1rem .4rem}\n"
    ".charts{grid-template-columns:1fr 1fr}.sides{gap:1rem 1.5rem}.weights{flex-basis:40%}\n"
    "#tip{display:none!important}}\n",
};
/* clang-format on */

/* Browsers show titles too, but only after a delay. */
static const char script[] =
    "const tip=document.getElementById('tip');\n"
    "for(const p of document.querySelectorAll('.point')){\n"
    "const t=p.querySelector('title'),text=t.textContent;t.remove();p.setAttribute('aria-label',text);\n"
    "p.addEventListener('mousemove',e=>{tip.textContent=text;tip.style.display='block';\n"
    "tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+'px';"
    "tip.style.top=Math.min(e.clientY+16,innerHeight-tip.offsetHeight-8)+'px'});\n"
    "p.addEventListener('mouseleave',()=>{tip.style.display='none'})}\n";

const char *page_style(size_t i) { return i < sizeof styles / sizeof *styles ? styles[i] : NULL; }

void page_start(FILE *out, const char *title) { page_start_styled(out, title, ""); }

void page_start_styled(FILE *out, const char *title, const char *more) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    html_text(out, title);
    fputs("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n", out);
    for (size_t i = 0; page_style(i); i++) fputs(page_style(i), out);
    fputs(more, out);
    fputs("</style>\n</head>\n<body>\n<h1>", out);
    html_text(out, title);
    fputs("</h1>\n", out);
}

void page_end(FILE *out) { fprintf(out, "<div id=\"tip\"></div>\n<script>\n%s</script>\n</body>\n</html>\n", script); }

void page_fact(FILE *out, const char *name, const char *text) {
    fprintf(out, "<dt>%s</dt><dd>", name);
    html_text(out, text);
    fputs("</dd>\n", out);
}
