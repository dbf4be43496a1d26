// What a person would see of a page, asked from within. Every function returns what is wrong, or what there is.
(() => {
  const charts = () => [...document.querySelectorAll('svg[id]')];
  const box = e => e.getBoundingClientRect();
  const inside = (a, b, slack) => a.left >= b.left - slack && a.right <= b.right + slack && a.top >= b.top - slack && a.bottom <= b.bottom + slack;
  const seen = e => { const b = box(e); return b.width > 0 || b.height > 0; };
  const hasText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  // the boxes of the lines of an element's own text: an element that wraps is wider than its text
  const lines = e => [...e.childNodes].filter(n => n.nodeType === 3 && n.data.trim()).flatMap(n => {
    const r = document.createRange(); r.selectNodeContents(n); return [...r.getClientRects()]; });
  const texts = () => [...document.body.querySelectorAll('*')].filter(e => hasText(e) && !['SCRIPT', 'STYLE'].includes(e.tagName) &&
    e.id !== 'tip' && e.tagName !== 'title' && seen(e));

  // a box that scrolls may hold more than is in view, and must itself be in view
  const scrolls = e => { for (; e; e = e.parentElement) if (['auto', 'scroll'].includes(getComputedStyle(e).overflowX)) return e; };

  const layout = smallest => {
    const wrong = [], width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) wrong.push(`the page is ${document.documentElement.scrollWidth} wide, the screen ${width}`);
    for (const e of texts())
      for (const b of scrolls(e) ? [box(scrolls(e))] : e.closest('svg') ? [box(e)] : lines(e))
        if (b.left < -0.5 || b.right > width + 0.5) wrong.push(`runs out of the page: ${e.textContent.slice(0, 60)}`);
    for (const svg of charts()) {
      const frame = box(svg), scale = frame.width / svg.viewBox.baseVal.width, all = [...svg.querySelectorAll('text')];
      for (const t of all) {
        if (!inside(box(t), frame, 0.5)) wrong.push(`${svg.id}: text outside: ${t.textContent}`);
        const size = parseFloat(getComputedStyle(t).fontSize) * scale;
        if (size < smallest) wrong.push(`${svg.id}: text of ${size.toFixed(1)} pixels: ${t.textContent}`);
      }
      const figure = svg.closest('figure'), caption = figure ? [...figure.querySelectorAll('figcaption *')].filter(hasText) : [];
      const boxes = [...all, ...caption].map(e => [e.textContent, box(e), e]);
      boxes.forEach(([name, a, e], i) => boxes.slice(i + 1).forEach(([other, b, f]) => {
        if (e.contains(f)) return;
        const w = Math.min(a.right, b.right) - Math.max(a.left, b.left), h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (w > 0.5 && h > (name === other ? 0.5 : 2)) wrong.push(`${svg.id}: '${name}' and '${other}' overlap by ${w.toFixed(1)} x ${h.toFixed(1)}`);
      }));
      if (svg.querySelectorAll('.point').length > 2)
        for (const m of svg.querySelectorAll('.line'))
          if (Math.max(box(m).width, box(m).height) < 3) wrong.push(`${svg.id}: a line is not drawn`);
      for (const m of svg.querySelectorAll('.line, .mark, .bar, .grid, .frame'))
        if (seen(m) && !inside(box(m), frame, 2)) wrong.push(`${svg.id}: a ${m.getAttribute('class')} lies outside`);
    }
    return wrong;
  };

  // the confusion matrix of several classes: its box, its labels, its diagonal, and labels that stay while it scrolls
  const matrix = smallest => {
    const heat = document.querySelector('.heat'), wrong = [];
    if (!heat) return wrong;
    const width = document.documentElement.clientWidth, b = box(heat);
    if (b.left < -0.5 || b.right > width + 0.5) wrong.push(`the matrix is from ${b.left} to ${b.right}`);
    const rows = [...heat.querySelectorAll('tbody tr')], columns = heat.querySelectorAll('thead th').length;
    for (const th of heat.querySelectorAll('th')) {
      const size = parseFloat(getComputedStyle(th).fontSize);
      if (size < smallest) wrong.push(`a label of ${size} pixels: ${th.textContent}`);
    }
    rows.forEach((tr, i) => {
      if (tr.children.length !== columns) wrong.push(`row ${i} has ${tr.children.length} cells, the head ${columns}`);
      [...tr.querySelectorAll('td:not(.sum)')].forEach((td, k) => {
        if (i < columns - 2 && td.classList.contains('c0') !== (i === k)) wrong.push(`the diagonal is broken at ${i}, ${k}`);
        if (i === k && i < columns - 2 && getComputedStyle(td).boxShadow === 'none') wrong.push('the diagonal does not stand out'); });
      const tops = new Set(lines(tr.children[0].querySelector('bdi, i') || tr.children[0]).map(r => Math.round(r.top)));
      if (tops.size > 1) wrong.push(`the label of row ${i} has ${tops.size} lines`);
    });
    const before = box(rows[0].children[0]).left;
    heat.scrollLeft = 1e6;
    if (Math.abs(box(rows[0].children[0]).left - before) > 1) wrong.push('labels scroll out of view');
    const last = box(rows[0].lastElementChild);
    if (scrolls(heat) && last.right > b.right + 1) wrong.push('the last column cannot be scrolled to');
    heat.scrollLeft = 0;
    return wrong;
  };

  // lines and marks of some length that are not hidden
  const drawn = () => Object.fromEntries(charts().map(svg => [svg.id, [...svg.querySelectorAll('.line, .mark')].filter(e => {
    const b = box(e); return getComputedStyle(e).opacity > 0 && Math.max(b.width, b.height) > 3; }).length]));

  const rgba = text => {
    const n = (text.match(/[\d.]+(e-?\d+)?/g) || []).map(Number);
    if (text.startsWith('color(srgb')) return [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1];
    return text === 'transparent' ? [0, 0, 0, 0] : [n[0], n[1], n[2], n[3] ?? 1];
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const ground = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reduceRight((under, layer) => over(layer, under), [255, 255, 255, 1]);
  };
  const brightness = c => {
    const l = c.slice(0, 3).map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
  };
  const ratio = (a, b) => { const x = brightness(a), y = brightness(b); return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };

  const contrast = () => {
    const wrong = [];
    for (const e of texts()) {
      const style = getComputedStyle(e), under = ground(e);
      const r = ratio(over(rgba(e.closest('svg') ? style.fill : style.color), under), under);
      if (!(r >= 4.5)) wrong.push(`contrast ${r.toFixed(2)}: ${e.textContent.slice(0, 40)}`);
    }
    for (const e of document.querySelectorAll('svg[id] .line, svg[id] .mark')) {
      const r = ratio(rgba(getComputedStyle(e).stroke), ground(e));
      if (!(r >= 2)) wrong.push(`contrast ${r.toFixed(2)} of a ${e.getAttribute('class')}`);
    }
    return [...new Set(wrong)];
  };

  const paper = () => ground(document.body).slice(0, 3).map(Math.round);

  // where each chart is on the page, and the colours that must be seen in it
  const places = () => charts().map(svg => { const b = box(svg); return { id: svg.id, x: b.left + scrollX, y: b.top + scrollY, width: b.width,
    height: b.height, colours: [...new Set([...svg.querySelectorAll('.line, path.mark')].filter(e => Math.max(box(e).width, box(e).height) > 8)
      .map(e => getComputedStyle(e).stroke))].map(c => rgba(c).slice(0, 3)) }; });

  // labels of both axes with their places on the screen, and every point with its marks
  const scale = id => {
    const svg = document.getElementById(id), mid = e => { const b = box(e); return [(b.left + b.right) / 2, (b.top + b.bottom) / 2]; };
    const ticks = [...svg.querySelectorAll('.tick:not(.faint)')], y = t => t.getAttribute('text-anchor') === 'end';
    return { y: ticks.filter(y).map(t => [t.textContent, mid(t)[1]]), x: ticks.filter(t => !y(t)).map(t => [t.textContent, mid(t)[0]]),
      points: [...svg.querySelectorAll('.point')].map(p => ({ text: p.getAttribute('aria-label'), marks: [...p.querySelectorAll('.mark')].map(mid) })) };
  };

  // brings a point into view; where to point at it, and what lies on top there
  const target = (id, i) => {
    const p = document.getElementById(id).querySelectorAll('.point')[i], hit = p.querySelector('.hit');
    hit.scrollIntoView({ block: 'center', inline: 'center' });
    const b = box(hit), x = (b.left + b.right) / 2, y = (b.top + b.bottom) / 2;
    const top = document.elementFromPoint(x, y)?.closest('.point');
    return { x, y, itself: top === p, text: top?.getAttribute('aria-label') };
  };
  const tip = () => { const t = document.getElementById('tip'), b = box(t); return { text: t.textContent, shown: getComputedStyle(t).display !== 'none',
    inside: b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight }; };

  window.look = { layout, matrix, drawn, contrast, paper, places, scale, target, tip };
})();
