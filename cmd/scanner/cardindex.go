package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tabletop/catalog"
	"tabletop/vision/identify"
)

const (
	// storedFrom is the number of pictures from which on their index is stored:
	// fewer are read in a moment.
	storedFrom = 250

	// forgottenAfter is how long a stored index that is not used is kept, and
	// abandonedAfter one that was never finished.
	forgottenAfter = 90 * 24 * time.Hour
	abandonedAfter = 24 * time.Hour
)

// openIndex prepares a large catalogue of a folder for recognition, with the help
// of what was stored the last time. Of others it makes no index, nil: a scanner
// does so in a moment. say is told how far it is, warn what may interest a person
// though it hinders nothing.
func openIndex(ctx context.Context, cat *catalog.Catalog, say, warn func(string)) (*identify.Index, error) {
	pictures := cat.Pictures()
	if len(pictures) < storedFrom || pictures[0].File == "" {
		return nil, nil
	}
	setGCPercent(liveGCPercent) // a multiple of a large catalogue would be too much
	file, err := indexFile(filepath.Dir(pictures[0].File))
	if err != nil {
		warn(fmt.Sprintf("the index of the cards is not kept for the next time: %v", err))
	}
	keep := identify.Keeping{
		File:     file,
		Warn:     func(err error) { warn(err.Error()) },
		Progress: tellProgress(say),
	}
	index, err := identify.Open(ctx, cat, identify.Options{}, keep)
	if err != nil {
		return nil, err
	}
	if keep.File != "" {
		used := time.Now()
		if err := os.Chtimes(keep.File, used, used); err == nil {
			forget(filepath.Dir(keep.File), used)
		} // else it was not stored, and Warn has said why
	}
	return index, nil
}

// tellProgress says how far it is, some twenty times in all. Few pictures are
// not worth a word.
func tellProgress(say func(string)) func(done, total int) {
	return func(done, total int) {
		if total < storedFrom {
			return
		}
		if step := max(100, total/20/100*100); done == 1 || done%step == 0 || done == total {
			say(fmt.Sprintf("indexed %s of %s card pictures", thousands(done), thousands(total)))
		}
	}
}

// thousands writes 20000 as 20,000.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// indexFile is where the index of a folder of cards is stored: in the cache
// folder that systemd gives a service, else in the user's.
func indexFile(folder string) (string, error) {
	cache, _, _ := strings.Cut(os.Getenv("CACHE_DIRECTORY"), ":")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", errors.New("there is no folder for it; set XDG_CACHE_HOME to one")
		}
		cache = filepath.Join(user, "tabletop-scanner")
	}
	path, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	name := strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, filepath.Base(path))
	return filepath.Join(cache, fmt.Sprintf("%.40s-%.6x%s", name, sha256.Sum256([]byte(path)), indexSuffix)), nil
}

const indexSuffix = ".index"

// forget deletes what lies in the cache without use: an index takes 7 kB a card.
// What can't be deleted stays.
func forget(cache string, now time.Time) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		age := now.Sub(info.ModTime())
		if strings.HasSuffix(e.Name(), indexSuffix) && age > forgottenAfter ||
			strings.Contains(e.Name(), indexSuffix+identify.UnfinishedMark) && age > abandonedAfter {
			os.Remove(filepath.Join(cache, e.Name()))
		}
	}
}
