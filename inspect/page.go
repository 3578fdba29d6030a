package inspect

// pageText has the two halves of the page. It has no script, so a hostile name cannot run as one;
// package html/template escapes names.
const pageText = `{{define "head"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
{{with .Live}}<meta http-equiv="refresh" content="{{.}}">
{{end}}<title>suspended machines</title>
<style>
:root { color-scheme: light dark; --ink: #1d2430; --dim: #667085; --paper: #fff; --rule: #d8dde6; --mark: #0b5fc0; --bad: #b42318 }
@media (prefers-color-scheme: dark) {
	:root { --ink: #e4e8ef; --dim: #98a2b3; --paper: #14181f; --rule: #333b47; --mark: #6fb1ff; --bad: #ff8f85 }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70em; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }
a, summary:focus { color: var(--mark) }
nav a { margin-right: 1em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3em 1em .3em 0; border-top: 1px solid var(--rule); overflow-wrap: anywhere }
th { color: var(--dim); font-weight: normal; white-space: nowrap }
td:not(.n) { min-width: 7em }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
code { font: 13px/1.45 ui-monospace, monospace; display: block }
.dim { color: var(--dim) } .cycle { border-left: 3px solid var(--bad); padding-left: 1em }
ul { list-style: none; padding-left: 1.2em; margin: 0 } li { margin: .15em 0; overflow-wrap: anywhere } li code { display: inline }
</style>
</head>
<body>
<h1>Suspended machines</h1>
<nav><a href="#groups">by line</a> <a href="#tree">tree</a> <a href="#jobs">jobs</a> <a href="#locks">locks</a> <a href="#schedulers">schedulers</a> <a href="#latencies">latencies</a>
<a href="dump">dump</a> <a href="movenext.suspended">profile</a> <a href="{{.From}}" accesskey="r">refresh</a>
{{if .Live}}<a href="{{.From}}" accesskey="l">stop: it loads itself again every {{.Live}} s</a>{{else}}<a href="{{.From}}&amp;live=2" accesskey="l">live</a>{{end}}</nav>
{{end}}

{{define "body"}}
{{if .Tracking}}<p>{{.Suspended}} {{plural .Suspended "machine"}} at {{len .Report.Groups}} {{plural (len .Report.Groups) "place"}}, {{.Time.Format "15:04:05"}}</p>
{{else}}<p>Machines are not tracked; call <code>inspect.Track()</code></p>
{{end}}
{{range .Cycles}}<section class="cycle"><h2>A cycle of {{len .}} machines, which never ends</h2>
<table><tr><th>machine<th>waits for<th>held by<th>at</tr>
{{range .}}<tr><td>{{unknown .Name}}<td>{{.Waits}}<td>{{unknown .Holder}}<td><code>{{at .Place}}</code></tr>
{{end}}</table></section>
{{end}}
<h2 id="groups">By line</h2>
<table><tr><th class="n">machines<th>wait for<th>in<th>oldest<th>example</tr>
{{range .Groups}}<tr id="g{{.N}}"><td class="n">{{.Count}}<td>{{.Waits}}<td>{{range .Stack}}<code>{{at .}}</code>{{end}}{{if .More}}<span class="dim">{{.More}} more</span>{{end}}<td>{{round .Oldest}}<td>{{unknown .Example.Name}}: {{.Example.Waits}}{{heldBy .Example.Holder}}</tr>
{{end}}</table>
<nav>{{with .Before}}<a href="{{.}}" rel="prev" accesskey="p">before</a>{{end}} {{with .After}}<a href="{{.}}" rel="next" accesskey="n">more</a>{{end}}</nav>
<h2 id="tree">Tree of calls</h2>
{{template "branches" .Tree.Calls}}
<h2 id="jobs">Jobs that are not suspended</h2>
<table><tr><th class="n">jobs<th>are<th>at<th>made in<th>oldest<th>example</tr>
{{range $i, $j := .Jobs}}{{if lt $i 50}}<tr><td class="n">{{.Count}}<td>{{.Is}}<td>{{.Home}}<td>{{with .Made.Function}}<code>{{at $j.Made}}</code>{{end}}<td>{{round .Oldest}}<td>{{.Example}}{{with .Parent}}, made by {{.}}{{end}}</tr>
{{end}}{{end}}</table>
<h2 id="locks">Locks</h2>
<table><tr><th>lock<th>held by<th class="n">waiters</tr>
{{range $i, $l := .Locks}}{{if lt $i 50}}<tr><td>{{.What}}<td>{{unknown .Holder}}<td class="n">{{.Waiters}}</tr>
{{end}}{{end}}</table>
<h2 id="schedulers">Schedulers</h2>
<table><tr><th>scheduler<th class="n">suspended<th class="n">queued<th class="n">running<th class="n">workers<th class="n">completed<th class="n">stolen<th class="n">panicked</tr>
{{range .Schedulers}}<tr><td>{{.Name}}<td class="n">{{.Suspended}}{{if .Metered}}{{with .Metrics}}<td class="n">{{.Queued}}<td class="n">{{.Running}}<td class="n">{{.Workers}}<td class="n">{{.Completed}}<td class="n">{{.Stolen}}<td class="n">{{.Panicked}}{{end}}{{end}}</tr>
{{end}}</table>
<h2 id="latencies">Latencies</h2>
{{with .Latencies}}<table><tr><th>of<th>while<th class="n">times<th class="n">half within<th class="n">99 % within</tr>
{{range .}}<tr><td><code>{{name .Of}}</code><td>{{name .What}}<td class="n">{{.Count}}<td class="n">{{.Half}}<td class="n">{{.P99}}</tr>
{{end}}</table>
{{else}}<p class="dim">They are not measured: give the handler <code>inspect.Measured</code></p>
{{end}}</body>
</html>
{{end}}

{{define "branches"}}<ul>{{range .}}<li>{{if .Waits}}{{.Count}} wait for {{.Waits}}{{else}}<details open><summary>{{.Count}} in <code>{{at .Place}}</code></summary>{{template "branches" .Calls}}</details>{{end}}</li>
{{end}}</ul>{{end}}
`
