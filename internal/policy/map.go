package policy

import (
	"path"
	"strings"
)

// mapPage is the page that names the packages.
const mapPage = "ARCHITECTURE.md"

// packageMap checks that the architecture page names each package that users do not see: a
// newcomer has no other way to find them. Naming a folder covers the folders inside it.
func packageMap(t *Tree) []Finding {
	var page string
	for _, f := range t.Files {
		if f.Path == mapPage {
			page = string(f.Text)
		}
	}
	var found []Finding
	order, _ := folders(t.Main())
	for _, dir := range order {
		if !strings.Contains("/"+dir+"/", "/internal/") {
			continue
		}
		at := dir
		for at != "." && !strings.Contains(page, "`"+at+"`") {
			at = path.Dir(at)
		}
		if at == "." {
			found = append(found, Finding{
				Path: dir,
				What: mapPage + " does not name it",
				Mend: "say in a row of the code map what it holds",
			})
		}
	}
	return found
}
