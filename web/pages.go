package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed static
var static embed.FS

// pages are the embedded files, each with its digest for the browser's cache.
type pages struct {
	files     map[string]page
	loginForm *template.Template
}

type page struct {
	data        []byte
	contentType string
	etag        string
}

// contentTypes is fixed rather than asked of the machine, whose tables differ.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func newPages() (*pages, error) {
	p := &pages{files: map[string]page{}}
	err := fs.WalkDir(static, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := static.ReadFile(name)
		if err != nil {
			return err
		}
		kind, ok := contentTypes[path.Ext(name)]
		if !ok {
			return fmt.Errorf("%s: no content type is known for it", name)
		}
		sum := sha256.Sum256(data)
		p.files[strings.TrimPrefix(name, "static/")] = page{data, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("web: the embedded pages: %w", err)
	}
	if p.loginForm, err = template.New("login").Parse(string(p.files["login.html"].data)); err != nil {
		return nil, fmt.Errorf("web: the embedded login page: %w", err)
	}
	return p, nil
}

// serve answers with one page.
func (p *pages) serve(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { p.send(w, r, name) }
}

// asset answers with what a page loads; pages themselves have their own paths.
func (p *pages) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if path.Ext(name) == ".html" {
		http.NotFound(w, r)
		return
	}
	p.send(w, r, name)
}

func (p *pages) send(w http.ResponseWriter, r *http.Request, name string) {
	f, ok := p.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("ETag", f.etag)
	// Kept, but asked about each time: after an update no browser shows a mixture.
	h.Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}

type loginData struct {
	Next    string
	Role    Role
	Problem string // key of what is wrong, in the pages' texts
	// ProblemText says it where there is no script.
	ProblemText string
	NoTokens    bool
}

func (p *pages) login(w http.ResponseWriter, status int, data loginData) {
	var out bytes.Buffer
	if err := p.loginForm.Execute(&out, data); err != nil {
		http.Error(w, "the login page can't be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentTypes[".html"])
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(out.Bytes())
}
