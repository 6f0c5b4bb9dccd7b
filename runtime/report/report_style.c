/* report_style.c: the style sheet of report.html.
 *
 * Colours are variables, given once for light, once for dark and once more for paper. The series
 * colours are those of Okabe and Ito, told apart with any colour vision, shifted for contrast. */
#include "report/report.h"

#define LIGHT                                                                                      \
    "--paper:#fff;--back:#f6f7f9;--ink:#1c2430;--soft:#5c6675;--line:#dfe3ea;--faint:#eef1f5;"     \
    "--accent:#0b5cad;--s0:#0b6fb8;--s1:#d1571a;--s2:#0a8f68;--s3:#b4588f;--s4:#b58900;"           \
    "--s5:#5b6472;--level:#8b4fa8;"
#define DARK                                                                                       \
    "--paper:#1a2029;--back:#11161d;--ink:#e6eaf0;--soft:#9aa6b6;--line:#313a47;--faint:#232b36;"  \
    "--accent:#6db4f2;--s0:#5db0ee;--s1:#f0884a;--s2:#3cc79b;--s3:#e08dbd;--s4:#e3bd4a;"           \
    "--s5:#a4afbe;--level:#c592e0;"

/* In pieces: C11 promises strings of 4095 bytes. */
const char *const report_style[] = {
    /* page */
    ":root{color-scheme:light dark;" LIGHT "}\n"
    "@media(prefers-color-scheme:dark){:root{" DARK "}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--back);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}\n"
    "h1{font-size:30px;line-height:1.25;margin:0 0 4px;letter-spacing:-.01em;text-wrap:balance}\n"
    "h2{font-size:18px;margin:0 0 14px;letter-spacing:-.005em}\n"
    "h3{font-size:14px;margin:0 0 6px;color:var(--soft);font-weight:600}\n"
    ".subtitle{color:var(--soft);margin:0 0 24px}\n"
    "section{background:var(--paper);border:1px solid var(--line);border-radius:10px;"
    "padding:22px 24px;margin:0 0 20px}\n"
    ".numbers{display:flex;flex-wrap:wrap;gap:1px;background:var(--line);"
    "border:1px solid var(--line);border-radius:10px;overflow:hidden;margin:0 0 20px}\n"
    ".numbers div{flex:1 1 155px;background:var(--paper);padding:14px 18px}\n"
    ".numbers dt{font-size:13px;color:var(--soft)}\n"
    ".numbers dd{margin:2px 0 0;font-size:22px;font-weight:600;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    ".numbers sup{font-size:.62em;line-height:0}\n"
    ".numbers small{display:block;font-size:12px;font-weight:400;color:var(--soft);"
    "white-space:normal}\n"
    ".math{overflow-x:auto;padding:6px 0;text-align:center}\n"
    ".math math{font-size:1.3em}.math math+math{margin-top:.9em}\n"
    "math{font-family:'STIX Two Math','Cambria Math','Latin Modern Math',"
    "'DejaVu Math TeX Gyre','Noto Sans Math',math}\n"
    ".equation{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "white-space:pre-wrap;text-align:center}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));"
    "gap:24px}\n"
    ".slices{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));"
    "gap:22px}\n"
    ".pair>*,.slices>*{min-width:0}\n",
    /* plots */
    "figure{margin:0}\n"
    "figure svg{width:100%;height:auto;display:block;overflow:visible}\n"
    ".bar svg:first-child{height:28px;border-radius:5px;overflow:hidden}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:2px 18px;font-size:13px;color:var(--soft);"
    "margin:0 0 6px}\n"
    ".bar .legend{margin:12px 0 0}\n"
    ".legend b{color:var(--ink);font-weight:600}\n"
    ".legend span{display:inline-flex;align-items:center;gap:6px;white-space:nowrap}\n"
    ".legend svg.swatch{width:24px;height:8px;flex:none}\n"
    ".legend .block{width:11px;height:11px;border-radius:3px;background:var(--colour)}\n"
    ".s0{--colour:var(--s0)}.s1{--colour:var(--s1)}.s2{--colour:var(--s2)}"
    ".s3{--colour:var(--s3)}.s4{--colour:var(--s4)}.s5{--colour:var(--s5)}\n"
    "rect{fill:var(--colour);stroke:var(--paper);stroke-width:1}\n"
    ".curve{fill:none;stroke:var(--colour);stroke-width:1.8;stroke-linejoin:round;"
    "stroke-linecap:round}\n"
    ".curve.dashed{stroke-dasharray:6 4}\n"
    ".grid{stroke:var(--line);stroke-width:1}.grid.minor{stroke:var(--faint)}\n"
    ".axis,.mark{stroke:var(--soft);stroke-width:1}\n"
    ".tick,.axis-name,.name{font-size:11.5px;fill:var(--soft);font-variant-numeric:tabular-nums}\n"
    ".tick.y{text-anchor:end}.tick.x,.axis-name.x{text-anchor:middle}\n"
    ".axis-name{font-size:12px}.power{font-size:8.5px}\n"
    "line.level{stroke:var(--level);stroke-width:1.2;stroke-dasharray:2 4}\n"
    "line.leader{stroke:var(--level);stroke-width:1;opacity:.6}\n"
    ".level .name{fill:var(--level)}\n"
    ".hover{fill:transparent}.hover:hover{fill:var(--colour);stroke:var(--paper)}\n",
    /* tables, text, paper */
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-size:14.5px}\n"
    "th{text-align:left;font-weight:600;color:var(--soft);font-size:13px;"
    "border-bottom:1px solid var(--line);padding:6px 14px 6px 0;vertical-align:bottom}\n"
    "td{padding:7px 14px 7px 0;border-bottom:1px solid var(--faint);vertical-align:top;"
    "overflow-wrap:break-word}td.value{overflow-wrap:anywhere}\n"
    "tr:last-child td{border-bottom:0}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "td sup{line-height:0;font-size:.72em}\n"
    "tr.model td{font-weight:600}tr.model td:first-child{color:var(--s0)}\n"
    "td.soft,td.key,.soft{color:var(--soft)}td.key{white-space:nowrap;width:1%}\n"
    "td .why{display:block;color:var(--soft);font-size:13px}\n"
    "code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "font-size:13.5px}\n"
    "pre{background:var(--faint);border-radius:7px;padding:12px 14px;margin:0;"
    "white-space:pre-wrap;overflow-wrap:anywhere;"
    "line-height:1.5}\n"
    ".command{margin:0 0 14px}.command p{margin:0 0 5px;font-size:14.5px}\n"
    "details summary{cursor:pointer;color:var(--accent);font-size:14.5px}\n"
    "details pre{margin-top:10px}\n"
    "p{margin:0 0 12px}p:last-child{margin-bottom:0}\n"
    "@media(max-width:620px){main{padding:22px 14px}section{padding:16px}h1{font-size:24px}}\n"
    "@media print{:root{" LIGHT "--back:#fff}body{font-size:10.5pt}main{padding:0;max-width:none}"
    "section,figure,tr,.numbers{break-inside:avoid}section{border:0;padding:8px 0}"
    ".pair{grid-template-columns:1fr 1fr}.slices{grid-template-columns:1fr 1fr 1fr}"
    ".hover,details{display:none}}\n",
    NULL,
};
