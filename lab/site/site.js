'use strict'
// The script of all pages: colours, the sidebar of small screens, and the search.

const root = document.documentElement
const at = (id) => document.getElementById('site-' + id)

// Colours: those of the system, until the reader chooses.

at('theme').addEventListener('click', () => {
	const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
	root.dataset.theme = dark ? 'light' : 'dark'
	try { localStorage.setItem('movenext-theme', root.dataset.theme) } catch { /* it holds for this page alone */ }
})

// The sidebar.

const sidebar = at('sidebar')
function showSidebar(open) {
	sidebar.classList.toggle('open', open)
	at('menu').setAttribute('aria-expanded', String(open))
}
at('menu').addEventListener('click', () => showSidebar(!sidebar.classList.contains('open')))
const current = sidebar.querySelector('[aria-current]')
if (current && current.offsetTop > sidebar.clientHeight) sidebar.scrollTop = current.offsetTop - sidebar.clientHeight / 2

// The search. The index is loaded when it is asked for; siteIndex is set by search.js.

let loading
function load() {
	loading ||= new Promise((resolve, reject) => {
		const script = document.createElement('script')
		script.src = root.dataset.root + 'search.js'
		script.onload = () => resolve(window.siteIndex)
		script.onerror = () => reject(new Error('the index cannot be loaded'))
		document.head.append(script)
	})
	return loading
}

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || []

// matches returns the weight of each part with a word that begins with the prefix. The word
// itself counts twice.
function matches(index, prefix) {
	const { terms, postings } = index
	let low = 0, high = terms.length
	while (low < high) {
		const middle = (low + high) >> 1
		if (terms[middle] < prefix) low = middle + 1
		else high = middle
	}
	const weights = new Map()
	for (; low < terms.length && terms[low].startsWith(prefix); low++) {
		let part = 0
		for (let i = 0; i < postings[low].length; i += 2) {
			part += postings[low][i]
			const weight = postings[low][i + 1] * (terms[low] === prefix ? 2 : 1)
			weights.set(part, (weights.get(part) || 0) + weight)
		}
	}
	return weights
}

// search returns the numbers of the parts with all words of the query, the best ones first.
function search(index, query) {
	const asked = words(query)
	if (!asked.length) return []
	const lists = asked.map((word) => matches(index, word))
	const sums = []
	for (const part of lists[0].keys()) {
		if (!lists.every((list) => list.has(part))) continue
		sums.push([part, lists.reduce((sum, list) => sum + list.get(part), 0)])
	}
	sums.sort((a, b) => b[1] - a[1] || a[0] - b[0])
	return sums.map(([part]) => part)
}

// excerpt returns the text around the first of the words, with the words marked.
function excerpt(text, asked) {
	const lower = text.toLowerCase()
	const found = asked.map((word) => lower.indexOf(word)).filter((i) => i >= 0)
	const start = Math.max(0, (found.length ? Math.min(...found) : 0) - 40)
	const shown = (start ? '… ' : '') + text.slice(start, start + 150) + (text.length > start + 150 ? ' …' : '')
	const span = document.createElement('span')
	const pattern = new RegExp('(' + asked.join('|') + ')', 'giu') // words have no signs of patterns
	shown.split(pattern).forEach((piece, i) => {
		if (i % 2 === 0) return span.append(piece)
		const mark = document.createElement('mark')
		mark.textContent = piece
		span.append(mark)
	})
	return span
}

const query = at('query'), results = at('results'), found = at('found')
const mostResults = 30
let selected = -1

function select(n) {
	const options = [...results.children]
	selected = options.length ? (n + options.length) % options.length : -1
	options.forEach((option, i) => option.setAttribute('aria-selected', String(i === selected)))
	query.removeAttribute('aria-activedescendant')
	if (selected < 0) return
	query.setAttribute('aria-activedescendant', options[selected].id)
	options[selected].scrollIntoView({ block: 'nearest' })
}

function close() {
	found.hidden = true
	query.setAttribute('aria-expanded', 'false')
}

async function show() {
	const asked = query.value
	if (!words(asked).length) return close()
	let index
	try {
		index = await load()
	} catch (err) {
		loading = undefined
		results.replaceChildren()
		at('count').textContent = String(err.message)
		found.hidden = false
		return
	}
	if (asked !== query.value) return // a later call shows the later query
	const parts = search(index, asked)
	results.replaceChildren(...parts.slice(0, mostResults).map((number, i) => {
		const [page, anchor, heading, text] = index.parts[number]
		const [address, title] = index.pages[page]
		const link = document.createElement('a')
		link.href = root.dataset.root + address + (anchor && '#' + anchor)
		link.tabIndex = -1
		const bold = document.createElement('b')
		bold.textContent = heading
		link.append(bold, anchor ? ' – ' + title : '', excerpt(text, words(asked)))
		link.addEventListener('click', close)
		const option = document.createElement('li')
		option.id = 'site-result-' + i
		option.setAttribute('role', 'option')
		option.append(link)
		return option
	}))
	at('count').textContent = parts.length > mostResults ? `${mostResults} of ${parts.length} results` : `${parts.length} ${parts.length === 1 ? 'result' : 'results'}`
	found.hidden = false
	query.setAttribute('aria-expanded', 'true')
	select(0)
}

query.addEventListener('focus', () => { load().catch(() => { loading = undefined }); show() })
query.addEventListener('input', show)
query.addEventListener('keydown', (event) => {
	switch (event.key) {
	case 'ArrowDown': select(selected + 1); break
	case 'ArrowUp': select(selected - 1); break
	case 'Enter': if (!found.hidden && selected >= 0) results.children[selected].firstChild.click(); break
	case 'Escape': close(); query.blur(); break
	default: return
	}
	event.preventDefault()
})
document.addEventListener('click', (event) => { if (!at('search').contains(event.target)) close() })
document.addEventListener('keydown', (event) => {
	if (event.key === 'Escape') showSidebar(false)
	const typing = event.target.closest('input, textarea, select, [contenteditable]')
	if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return
	event.preventDefault()
	query.focus()
	query.select()
})
