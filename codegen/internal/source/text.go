package source

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// Extent is the part of the source that a finding is about.
type Extent struct{ From, To token.Position }

// Extent returns the extent of a node of the function's file.
func (f *Function) Extent(n ast.Node) Extent { return f.Package.Extent(n) }

// Extent returns the extent of a node of one of the package's files.
func (p *Package) Extent(n ast.Node) Extent { return p.between(n.Pos(), n.End()) }

// ExtentOf returns the extent of the name where obj is declared. If obj is nil, it returns that of
// the function's own name.
func (f *Function) ExtentOf(obj types.Object) Extent {
	if obj == nil {
		return f.Extent(f.Decl.Name)
	}
	return f.Package.between(obj.Pos(), obj.Pos()+token.Pos(len(obj.Name())))
}

// between returns the extent between two positions. One with a //line directive inside may end in
// another file, or before it begins: then it is only its beginning.
func (p *Package) between(from, to token.Pos) Extent {
	at := Extent{p.Position(from), p.Position(to)}
	if at.From.Filename != at.To.Filename || at.To.Line < at.From.Line {
		at.To = at.From
	}
	return at
}

// Line returns the line of pos in the file that was read.
func (f *Function) Line(pos token.Pos) int { return f.Package.Read(pos).Line }

// Text returns the source text between two positions of the function's file.
func (f *Function) Text(from, to token.Pos) string {
	return string(f.File.Source[f.offset(from):f.offset(to)])
}

// LineStart returns the position of the first character of a line of the function's file.
func (f *Function) LineStart(line int) token.Pos {
	return f.Package.Fset.File(f.Decl.Pos()).LineStart(line)
}

// OpensLine reports whether only white space precedes pos in its line.
func (f *Function) OpensLine(pos token.Pos) bool {
	before := f.File.Source[:f.offset(pos)]
	return len(bytes.TrimSpace(before[bytes.LastIndexByte(before, '\n')+1:])) == 0
}

// EndsLine reports whether only white space follows pos in its line.
func (f *Function) EndsLine(pos token.Pos) bool {
	rest, _, _ := bytes.Cut(f.File.Source[f.offset(pos):], []byte("\n"))
	return len(bytes.TrimSpace(rest)) == 0
}

// toolComment matches a comment that speaks to a tool, not to a reader.
var toolComment = regexp.MustCompile(`^//(?:[a-z0-9]+:\S|line |nolint|export )`)

// CommentBehind returns the comment that begins right behind pos and ends the line, or "". It
// omits comments for tools, which are about the source.
func (f *Function) CommentBehind(pos token.Pos) string {
	rest, _, _ := bytes.Cut(f.File.Source[f.offset(pos):], []byte("\n"))
	rest = bytes.TrimSpace(rest)
	if !bytes.HasPrefix(rest, []byte("//")) || toolComment.Match(rest) {
		return ""
	}
	return string(rest)
}

// ShownLine returns the source line at pos for a comment, in at most width bytes (not counting
// ellipses). Of a long line it returns only the part that begins at pos: a line with a thousand
// suspension points, shown in full at each of them, would fill the file with a million calls.
func (f *Function) ShownLine(pos token.Pos, width int) string {
	src, at := f.File.Source, f.offset(pos)
	start := f.offset(f.LineStart(f.Line(pos)))
	end := len(src)
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		end = at + n
	}
	if whole := bytes.TrimSpace(src[start:end]); len(whole) <= width {
		return string(whole)
	}
	part := bytes.TrimSpace(src[at:end])
	if len(part) <= width {
		return "… " + string(part)
	}
	return "… " + strings.ToValidUTF8(string(part[:width]), "") + " …"
}

func (f *Function) offset(pos token.Pos) int { return f.Package.Fset.File(pos).Offset(pos) }
