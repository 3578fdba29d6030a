'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const E = D.events, N = E.length;
// The columns of an event, and its kinds, as page.go writes them.
const K = 0, T = 1, A = 2, S = 3, W = 4, Q = 5, C = 6, P = 7, PLACE = 8, TOOK = 9, TEXT = 10, HOLDER = 11, ON = 12, STATUS = 13, VALUE = 14;
const SUBMITTED = 1, REFUSED = 2, BEGUN = 3, ENDED = 4, ABANDONED = 5, INLINED = 6, STOLEN = 7, MOVED = 8, STARTED = 9, STOPPED = 10, PARKED = 11, UNPARKED = 12, BLOCKED = 13, UNBLOCKED = 14, INJECTED = 15;
const MADE = 33, CALLED = 34, SUSPENDED = 35, RESUMED = 36, FINISHED = 37, NOTE = 64, CURVE = 65;
const get = (e, c) => e[c] || 0;
const text = i => D.texts[i] || '';

const el = (tag, cls, ...children) => {
	const e = document.createElement(tag);
	if (cls) e.className = cls;
	e.append(...children);
	return e;
};
const shortOf = s => s.slice(s.lastIndexOf('/') + 1);
const name = a => {
	const [job, n, place] = D.subjects[a] || [0, '', 0];
	if (n) return shortOf(n);
	if (place) return shortOf(D.places[place][0]) + (job ? ' #' + job : '');
	return job ? 'job #' + job : 'work that is not known';
};
const place = p => p ? `${shortOf(D.places[p][0])} (${shortOf(D.places[p][1])}:${D.places[p][2]})` : '';
// Schedulers with equal names are numbered.
const numbered = D.schedulers.map((n, i, all) => {
	const same = all.flatMap((o, j) => o === n ? [j] : []);
	return same.length > 1 ? `${n} (${same.indexOf(i) + 1})` : n;
});
const schedulerName = s => numbered[s] || 'none';
const hasProcessors = new Set(E.filter(e => get(e, P)).map(e => e[S]));
const queueName = (s, q) => q === 0 ? 'the shared queue' : (hasProcessors.has(s) ? 'processor ' : 'worker ') + q + '’s queue';
const time = ns => ns < 1e3 ? ns + ' ns' : ns < 1e6 ? (ns / 1e3).toFixed(1) + ' µs' : ns < 1e9 ? (ns / 1e6).toFixed(2) + ' ms' : (ns / 1e9).toFixed(3) + ' s';
// A processor that sleeps without a worker is a worker whose number is negative.
const workerName = w => w < 0 ? 'processor ' + -w : 'worker ' + w;
const works = n => n === 1 ? '1 work item' : n + ' work items';

// say tells an event in words.
function say(e) {
	const a = name(get(e, A)), w = workerName(get(e, W) || -get(e, P)), s = schedulerName(get(e, S)), q = queueName(get(e, S), get(e, Q)), took = get(e, TOOK) ? ', after ' + time(get(e, TOOK)) : '';
	switch (e[K]) {
	case SUBMITTED: return `${s}: ${a} is put into ${q}` + (get(e, W) ? ` by ${w}` : '') + (get(e, PLACE) ? `, to continue in ${place(get(e, PLACE))}` : '');
	case REFUSED: return `${s}: ${a} is refused`;
	case BEGUN: return `${s}: ${w}` + (get(e, P) ? ` on processor ${get(e, P)}` : '') + ` runs ${a}`;
	case ENDED: return `${s}: ${w} has run ${a}${took}`;
	case ABANDONED: return `${s}: ${a} will never run`;
	case INLINED: return `${s}: ${w} waits for ${a}, and runs it in place`;
	case STOLEN: return `${s}: ${w} steals ${works(get(e, C))} from ${q}`;
	case MOVED: return `${s}: ${works(get(e, C))} move from ${q} to the shared queue`;
	case STARTED: return `${s}: ${w} starts`;
	case STOPPED: return `${s}: ${w} ends`;
	case PARKED: return `${s}: ${w} has nothing to do and sleeps`;
	case UNPARKED: return `${s}: ${w} is woken${took}`;
	case BLOCKED: return `${s}: ${w} blocks in the middle of its work`;
	case UNBLOCKED: return `${s}: ${w} continues${took}`;
	case INJECTED: return `${s}: ${get(e, C) || 1} more may run, since workers block or get nowhere`;
	case MADE: return `${a} is made`;
	case CALLED: return `${a} starts`;
	case SUSPENDED: return `${a} suspends in ${place(get(e, PLACE)) || 'a place that is not known'}, waits for ${text(get(e, TEXT))}` + (get(e, HOLDER) ? `, held by ${text(get(e, HOLDER))}` : '') + (get(e, ON) ? `: ${name(get(e, ON))}` : '');
	case RESUMED: return `${a} resumes`;
	case FINISHED: return `${a} has ended: ${text(get(e, STATUS))}`;
	case NOTE: return text(get(e, TEXT));
	case CURVE: return `${text(get(e, TEXT))} = ${get(e, VALUE)}`;
	default: return 'an event of an unknown kind';
	}
}

// --- The state of all schedulers after a step -----------------------------------------

const fresh = () => ({ schedulers: new Map(), jobs: new Map() });
const schedulerOf = (st, s) => {
	let x = st.schedulers.get(s);
	if (!x) st.schedulers.set(s, x = { queues: new Map(), workers: new Map() });
	return x;
};
const queueOf = (x, q) => {
	let l = x.queues.get(q);
	if (!l) x.queues.set(q, l = []);
	return l;
};
const workerOf = (x, w) => {
	let l = x.workers.get(w);
	if (!l) x.workers.set(w, l = { p: 0, on: false, run: [], is: '' }); // on: it surely has its processor
	return l;
};

// take removes a from the queues of x: the likely ones first.
function take(x, a, ...first) {
	for (const q of [...first, 0, ...x.queues.keys()]) {
		const l = x.queues.get(q), i = l ? l.indexOf(a) : -1;
		if (i >= 0) { l.splice(i, 1); return; }
	}
}

function leave(run, a) {
	for (let i = run.length - 1; i >= 0; i--) if (run[i].a === a) { run.length = i; return; }
	run.pop();
}

function apply(st, e) {
	const a = get(e, A), k = e[K];
	if (k === NOTE || k === CURVE) return;
	if (k > 32) { live(st, e, a, k); return; }
	const x = schedulerOf(st, get(e, S)), q = get(e, Q);
	if (k === SUBMITTED) { queueOf(x, q).push(a); return; }
	if (k === REFUSED || k === ABANDONED) { take(x, a, q); return; }
	if (k === MOVED) { queueOf(x, 0).push(...queueOf(x, q).splice(0, get(e, C))); return; }
	if (k === INJECTED) return;
	if (k === STOPPED) { x.workers.delete(get(e, W)); return; }
	const n = get(e, W) || -get(e, P), w = workerOf(x, n);
	if (get(e, P)) {
		w.p = get(e, P);
		for (const o of x.workers.values()) if (o.p === w.p) o.on = o === w;
	}
	const own = w.p || get(e, W);
	switch (k) {
	case BEGUN: take(x, a, own); w.run.push({ a }); w.is = ''; break;
	case ENDED: leave(w.run, a); break;
	case INLINED: take(x, a, own); w.run.push({ a, inlined: true }); break;
	case STOLEN: queueOf(x, own).push(...queueOf(x, q).splice(0, get(e, C))); break;
	case PARKED: w.is = 'parked'; break;
	case BLOCKED: w.is = 'blocked'; w.on = false; break;
	case UNPARKED: case UNBLOCKED: w.is = ''; if (n < 0) x.workers.delete(n); break;
	}
}

function live(st, e, a, k) {
	if (k !== FINISHED) { st.jobs.set(a, e); return; }
	st.jobs.delete(a);
	for (const x of st.schedulers.values()) for (const w of x.workers.values()) {
		const i = w.run.findIndex(r => r.inlined && r.a === a);
		if (i >= 0) w.run.splice(i, 1);
	}
}

const every = 2000, keys = [];
function stateAt(n) { // after n events
	const key = Math.floor(n / every);
	while (keys.length <= key) {
		const st = keys.length ? structuredClone(keys[keys.length - 1]) : fresh();
		for (let i = (keys.length - 1) * every; i < keys.length * every; i++) if (i >= 0) apply(st, E[i]);
		keys.push(st);
	}
	const st = structuredClone(keys[key]);
	for (let i = key * every; i < n; i++) apply(st, E[i]);
	return st;
}

// --- Lanes: what each worker did ------------------------------------------------------

const lanes = [], laneOf = new Map(), arrows = [], curves = new Map();
function lane(s, w) {
	const key = s + ' ' + w;
	let l = laneOf.get(key);
	if (!l) { l = { s, w, n: lanes.length, spans: [], open: [] }; laneOf.set(key, l); lanes.push(l); }
	return l;
}
const holder = new Map(); // of a processor: its last worker
E.forEach((e, i) => {
	if (e[K] === CURVE) {
		const c = text(get(e, TEXT));
		if (!curves.has(c)) curves.set(c, []);
		curves.get(c).push([i, get(e, VALUE)]);
	}
	if (e[K] > 32 || !get(e, W) || e[K] === SUBMITTED || e[K] === REFUSED) return;
	const l = lane(get(e, S), get(e, W));
	if (get(e, P)) holder.set(get(e, S) + ' ' + get(e, P), get(e, W));
	const close = kind => {
		const at = l.open.findLastIndex(o => o.kind === kind && (kind !== 'run' || o.a === get(e, A)));
		if (at >= 0) l.open.splice(at).forEach(o => { o.to = i; });
	};
	const open = kind => {
		const o = { kind, a: get(e, A), from: i, to: N, depth: l.open.filter(o => o.kind === 'run').length };
		l.open.push(o);
		l.spans.push(o);
	};
	switch (e[K]) {
	case BEGUN: open('run'); break;
	case ENDED: close('run'); break;
	case PARKED: open('parked'); break;
	case UNPARKED: close('parked'); break;
	case BLOCKED: open('blocked'); break;
	case UNBLOCKED: close('blocked'); break;
	case STOPPED: l.open.splice(0).forEach(o => { o.to = i; }); break;
	case STOLEN: {
		const victim = hasProcessors.has(get(e, S)) ? holder.get(get(e, S) + ' ' + get(e, Q)) : get(e, Q);
		if (victim) arrows.push({ i, from: lane(get(e, S), victim), to: l });
	}
	}
});
const mostLanes = 400;

// --- What is shown --------------------------------------------------------------------

let step = 0, chosen = 0, byTime = false, v0 = 0, v1 = 1, playing = 0;
const end = N ? E[N - 1][T] || 1 : 1;
const position = i => byTime ? (i < N ? E[i][T] : end) / end : i / Math.max(1, N);
const colour = a => `hsl(${a * 137 % 360} 60% ${getComputedStyle(document.documentElement).getPropertyValue('--light')})`;

function chip(a, hit) {
	const b = el('button', 'chip' + (a === chosen ? ' selected' : '') + (hit ? ' hit' : ''), name(a));
	b.style.background = colour(a);
	b.dataset.subject = a;
	const made = (D.subjects[a] || [])[2];
	b.title = made ? place(made) : name(a);
	b.onclick = () => choose(a);
	return b;
}

function showNow() {
	const st = stateAt(step), e = step ? E[step - 1] : null, cards = [];
	$('event').textContent = e ? say(e) : 'The recording begins.';
	for (const [s, x] of [...st.schedulers].sort((p, q) => p[0] - q[0])) {
		const here = e && e[K] < 32 && get(e, S) === s, card = el('section', 'scheduler', el('h2', '', schedulerName(s)));
		const queues = el('div', 'queues');
		if (!x.queues.has(0)) x.queues.set(0, []);
		for (const [q, l] of [...x.queues].sort((p, r) => p[0] - r[0])) {
			const hit = here && get(e, Q) === q && [SUBMITTED, STOLEN, MOVED].includes(e[K]);
			const stack = el('div', 'stack' + (hit ? ' hit' : '')), shown = l.slice(-12).reverse();
			shown.forEach((a, i) => stack.append(chip(a, hit && i === 0 && e[K] === SUBMITTED)));
			if (l.length > shown.length) stack.append(el('span', 'dim', (l.length - shown.length) + ' older'));
			const box = el('div', 'queue', stack, el('span', 'label', queueName(s, q) + (l.length ? `: ${l.length}` : '')));
			box.dataset.queue = q;
			queues.append(box);
		}
		card.append(queues);
		const all = [...x.workers].sort((p, q) => p[0] - q[0]);
		for (const [w, l] of all.slice(0, 64)) {
			const runs = el('div', 'runs'), hit = here && (get(e, W) || -get(e, P)) === w && e[K] !== SUBMITTED;
			l.run.forEach((r, i) => {
				if (i) runs.append(r.inlined ? ' runs in place ' : ' waits, and runs ');
				runs.append(chip(r.a, hit && i === l.run.length - 1));
			});
			if (l.is === 'parked') runs.append(el('span', 'parked', 'sleeps'));
			else if (l.is === 'blocked') runs.append(el('span', 'blocked', 'blocked'));
			else if (!l.run.length) runs.append(el('span', 'idle', 'looks for work'));
			const row = el('div', 'lane' + (hit ? ' hit' : ''), el('span', 'label', workerName(w) + (w > 0 && l.on ? `, processor ${l.p}` : '')), runs);
			row.dataset.worker = w;
			card.append(row);
		}
		if (all.length > 64) card.append(el('p', 'dim', `${all.length - 64} more workers`));
		if (here && e[K] === STOLEN) card.dataset.arrow = get(e, Q) + ' ' + get(e, W);
		cards.push(card);
	}
	$('now').replaceChildren(...cards);
	document.querySelectorAll('[data-arrow]').forEach(drawArrow);
	showJob(st);
}

// drawArrow draws a steal: from the victim's queue to the thief.
function drawArrow(card) {
	const [q, w] = card.dataset.arrow.split(' '), from = card.querySelector(`[data-queue="${q}"]`), to = card.querySelector(`[data-worker="${w}"]`);
	if (!from || !to) return;
	const c = card.getBoundingClientRect(), f = from.getBoundingClientRect(), t = to.getBoundingClientRect();
	const x0 = f.left - c.left + f.width / 2, y0 = f.bottom - c.top, x1 = to.lastElementChild.lastElementChild.getBoundingClientRect().right - c.left + 6, y1 = t.top - c.top + t.height / 2;
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	svg.setAttribute('class', 'arrow');
	const path = document.createElementNS(svg.namespaceURI, 'path'), head = document.createElementNS(svg.namespaceURI, 'polygon');
	path.setAttribute('d', `M${x0} ${y0} C${x0} ${y1} ${x0 + 20} ${y1} ${x1 + 8} ${y1}`);
	head.setAttribute('points', `${x1},${y1} ${x1 + 9},${y1 - 5} ${x1 + 9},${y1 + 5}`);
	svg.append(path, head);
	card.append(svg);
}

function showJob(st) {
	const box = $('job');
	box.hidden = !chosen;
	if (!chosen) return;
	const [job, , made] = D.subjects[chosen], is = st.jobs.get(chosen), at = is && is[K] === SUSPENDED ? get(is, PLACE) : 0, parts = [el('h2', '', name(chosen))];
	parts.push(el('p', 'dim', job ? 'job #' + job : 'a work item that belongs to no job'));
	if (is) parts.push(el('p', '', say(is)));
	for (const [what, p] of [['suspended at', at], ['function', made]]) if (p) parts.push(el('h3', '', what), el('code', '', `${D.places[p][0]} ${D.places[p][1]}:${D.places[p][2]}`), ...source(p));
	const list = el('ol');
	const of = E.map((e, i) => i).filter(i => get(E[i], A) === chosen), mid = of.findIndex(i => i >= step - 1), from = Math.max(0, (mid < 0 ? of.length : mid) - 8);
	of.slice(from, from + 16).forEach(i => list.append(item(i)));
	parts.push(el('h3', '', `its ${of.length} events`), list);
	box.replaceChildren(...parts);
}

function source(p) {
	const [, file, line] = D.places[p], lines = (D.source || {})[file];
	if (!lines) return [];
	const pre = el('pre');
	for (let n = line - 3; n <= line + 6; n++) if (n in lines) pre.append(el('span', n === line ? 'line' : '', `${n}\t${lines[n]}\n`));
	return [pre];
}

function item(i) {
	const b = el('button', '', `${i + 1} ${say(E[i])}`), li = el('li', i === step - 1 ? 'current' : '', b);
	b.title = time(E[i][T]);
	b.onclick = () => go(i + 1);
	return li;
}

function showEvents() {
	const from = Math.max(0, Math.min(step - 10, N - 24)), list = [];
	for (let i = from; i < Math.min(N, from + 24); i++) list.push(item(i));
	$('events').replaceChildren(...list);
}

const laneHeight = 20, left = 150, curveHeight = 90;
function draw() {
	const canvas = $('canvas'), shown = lanes.slice(0, mostLanes), width = canvas.clientWidth, height = shown.length * laneHeight + curves.size * curveHeight + 6, dpr = devicePixelRatio || 1;
	canvas.style.height = height + 'px';
	canvas.width = width * dpr; canvas.height = height * dpr;
	const g = canvas.getContext('2d'), css = getComputedStyle(document.documentElement), c = n => css.getPropertyValue(n).trim();
	const ink = c('--ink'), dim = c('--dim'), rule = c('--rule'), bad = c('--bad'), mark = c('--mark');
	const x = i => left + (position(i) - v0) / (v1 - v0) * (width - left - 8);
	g.scale(dpr, dpr);
	g.font = '12px system-ui, sans-serif'; g.textBaseline = 'middle';
	let top = 0;
	for (const [what, points] of curves) { drawCurve(g, what, points, top, x, width, { dim, mark, rule }); top += curveHeight; }
	for (const l of shown) {
		const y = top + l.n * laneHeight;
		g.save(); g.beginPath(); g.rect(left, y, width - left, laneHeight); g.clip();
		for (const o of l.spans) {
			const a = x(o.from), b = Math.max(x(o.to), a + 1);
			if (b < left || a > width) continue;
			if (o.kind === 'blocked') { g.fillStyle = bad; g.fillRect(a, y + laneHeight - 5, b - a, 3); continue; } // below the name
			if (o.kind !== 'run') { g.fillStyle = rule; g.fillRect(a, y + laneHeight / 2 - 1, b - a, 1); continue; }
			const inset = 2 + Math.min(3, o.depth) * 3;
			g.fillStyle = colour(o.a); g.fillRect(a, y + inset, b - a, laneHeight - 2 - inset);
			if (o.a === chosen) { g.strokeStyle = ink; g.strokeRect(a + .5, y + inset + .5, b - a - 1, laneHeight - 3 - inset); }
			if (b - a > 30) { g.save(); g.beginPath(); g.rect(a, y, b - a - 2, laneHeight); g.clip(); g.fillStyle = ink; g.fillText(fitting(g, name(o.a), b - Math.max(a, left) - 5), Math.max(a, left) + 3, y + laneHeight / 2 + 1); g.restore(); }
		}
		g.restore();
		g.fillStyle = dim; g.fillText(`${schedulerName(l.s)} ${l.w}`.slice(-24), 6, y + laneHeight / 2);
		g.strokeStyle = rule; g.beginPath(); g.moveTo(0, y + laneHeight - .5); g.lineTo(width, y + laneHeight - .5); g.stroke();
	}
	g.strokeStyle = g.fillStyle = bad;
	for (const r of arrows) if (r.from.n < mostLanes && r.to.n < mostLanes && x(r.i) >= left) {
		const y0 = top + (r.from.n + .5) * laneHeight, y1 = top + (r.to.n + .5) * laneHeight, d = Math.sign(y1 - y0) * 6, at = x(r.i);
		g.beginPath(); g.moveTo(at, y0); g.lineTo(at, y1 - d); g.stroke();
		g.beginPath(); g.moveTo(at, y1); g.lineTo(at - 4, y1 - d); g.lineTo(at + 4, y1 - d); g.fill();
	}
	g.strokeStyle = mark; g.lineWidth = 2; g.beginPath(); g.moveTo(x(step), 0); g.lineTo(x(step), height); g.stroke();
	if (lanes.length > mostLanes) $('bad').textContent = `${lanes.length - mostLanes} more workers are not drawn`;
}

// fitting returns the text, or what fits into the width of its beginning, before an ellipsis.
function fitting(g, text, width) {
	let n = text.length;
	const cut = () => n < text.length ? text.slice(0, n) + '…' : text;
	while (n > 0 && g.measureText(cut()).width > width) n--;
	return n > 0 ? cut() : '';
}

function drawCurve(g, what, points, top, x, width, css) {
	let most = -Infinity, least = 0;
	for (const [, v] of points) { most = Math.max(most, v); least = Math.min(least, v); }
	const y = v => top + curveHeight - 14 - (v - least) / (most - least || 1) * (curveHeight - 26);
	g.save();
	g.fillStyle = css.dim; g.fillText(what.slice(0, 22), 6, top + 10); g.fillText(`${+least.toPrecision(4)} to ${+most.toPrecision(4)}`, 6, top + 26);
	g.strokeStyle = css.rule; g.beginPath(); g.moveTo(left, y(0)); g.lineTo(width, y(0)); g.stroke();
	g.beginPath(); g.rect(left, top, width - left, curveHeight); g.clip();
	g.strokeStyle = css.mark; g.lineWidth = 1.5; g.beginPath();
	points.forEach(([i, v], n) => n ? g.lineTo(x(i), y(v)) : g.moveTo(x(i), y(v)));
	g.stroke(); g.restore();
}

// --- Acting ---------------------------------------------------------------------------

function show() {
	$('at').value = step;
	$('where').textContent = `${step} of ${N}, ${time(step ? E[step - 1][T] : 0)}`;
	showNow(); showEvents(); draw();
	const hash = '#step=' + step + (chosen ? '&job=' + chosen : '');
	if (location.hash !== hash) try { history.replaceState(null, '', hash); } catch { /* a page without an address of its own */ }
}
function go(n) {
	step = Math.max(0, Math.min(N, n));
	const at = position(step), span = v1 - v0;
	if (at < v0 || at > v1) { v0 = Math.max(0, Math.min(1 - span, at - span / 2)); v1 = v0 + span; }
	show();
}
function choose(a) { chosen = a; show(); }
function zoom(by) {
	const at = position(step), span = Math.min(1, (v1 - v0) / by);
	v0 = Math.max(0, Math.min(1 - span, at - span / 2)); v1 = v0 + span;
	draw();
}
function play() {
	if (playing) { clearInterval(playing); playing = 0; } else {
		if (step === N) step = 0;
		playing = setInterval(() => { go(step + Math.max(1, Math.round(N / 2000))); if (step === N) play(); }, 300);
	}
	$('play').textContent = playing ? 'pause' : 'play';
}
function axis() { byTime = !byTime; $('axis').textContent = byTime ? 'by time' : 'by step'; v0 = 0; v1 = 1; draw(); }
function nextOf(d) {
	for (let i = step - 1 + d; i >= 0 && i < N; i += d) if (get(E[i], A) === chosen) { go(i + 1); return; }
}

$('title').textContent = document.title = D.title;
$('at').max = N;
$('bad').textContent = [D.end && 'The recording ended early: ' + D.end, D.left && `${D.left} more events are not on this page`].filter(Boolean).join('. ');
$('at').oninput = ev => go(+ev.target.value);
$('first').onclick = () => go(0); $('last').onclick = () => go(N); $('back').onclick = () => go(step - 1); $('next').onclick = () => go(step + 1);
$('play').onclick = play; $('axis').onclick = axis;
$('canvas').onclick = ev => {
	const r = ev.target.getBoundingClientRect(), at = v0 + (ev.clientX - r.left - left) / (r.width - left - 8) * (v1 - v0);
	let lo = 0, hi = N;
	while (lo < hi) { const mid = (lo + hi) >> 1; if (position(mid) < at) lo = mid + 1; else hi = mid; }
	const l = lanes[Math.floor((ev.clientY - r.top - curves.size * curveHeight) / laneHeight)], hit = l && l.spans.findLast(o => o.kind === 'run' && position(o.from) <= at && at <= position(o.to));
	if (hit) chosen = hit.a;
	go(lo);
};
addEventListener('keydown', ev => {
	if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
	const onButton = ev.target.tagName === 'BUTTON', far = ev.shiftKey ? 10 : 1;
	const does = { ArrowRight: () => go(step + far), ArrowLeft: () => go(step - far), Home: () => go(0), End: () => go(N), '+': () => zoom(2), '-': () => zoom(.5), 0: () => { v0 = 0; v1 = 1; draw(); }, t: axis, n: () => nextOf(1), p: () => nextOf(-1), Escape: () => choose(0), ' ': onButton ? null : play }[ev.key];
	if (does) { ev.preventDefault(); does(); }
});
addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
const asked = new URLSearchParams(location.hash.slice(1));
chosen = +asked.get('job') || 0;
if (chosen >= D.subjects.length) chosen = 0;
byTime = N > 1000;
$('axis').textContent = byTime ? 'by time' : 'by step';
go(+asked.get('step') || 0);
