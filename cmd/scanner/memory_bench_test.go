package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tabletop/internal/tablesim/deck"
)

// largeFilm is a short film of a turned card as a Pi camera gives it. The last
// frame shows the same table as the first, so it can be played over and over.
var largeFilm = sync.OnceValues(func() (*film, error) { return record(turnScript(inHomes[:1]), 2304, 1296) })

// BenchmarkMemory runs the built program before a network camera that plays a
// film at 15 frames a second, 2304×1296, with a pool of 120 cards, and reads its
// memory from the kernel. One op is one frame looked at: -benchtime 300x is a
// measurement, -benchtime 10000x a soak test.
//
//   - rss-MB: resident at the end; peak-MB: at most
//   - MB/h: growth by a straight line through the last three quarters
//
// It fails when the memory grows: by more than three standard errors and more
// than 5 MB in an hour. Less than 1,000 frames are too few to judge by.
func BenchmarkMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("memory is read from /proc, which this system lacks")
	}
	f, err := largeFilm()
	if err != nil {
		b.Fatal(err)
	}
	p := startProgram(b, f)
	var times, sizes []float64 // hours, MB
	began := time.Now()
	seen, want := 0, 0
	for b.Loop() {
		want++
		for seen < want {
			time.Sleep(500 * time.Millisecond)
			if time.Since(began) > time.Minute+4*time.Duration(want)*time.Second/filmFPS {
				b.Fatalf("the program has looked at %d frames in %v; it should see %d a second\n%s", seen, time.Since(began), filmFPS, p.log())
			}
			seen = p.frames(b)
			times = append(times, time.Since(began).Hours())
			sizes = append(sizes, p.status(b, "VmRSS"))
		}
	}
	b.ReportMetric(0, "ns/op") // the film's own pace
	b.ReportMetric(p.status(b, "VmRSS"), "rss-MB")
	b.ReportMetric(p.status(b, "VmHWM"), "peak-MB")
	if seen < 1000 {
		return
	}
	slope, deviation := line(times[len(times)/4:], sizes[len(sizes)/4:])
	b.ReportMetric(slope, "MB/h")
	verdict := fmt.Sprintf("%d frames in %v: %+.1f ± %.1f MB an hour", seen, time.Since(began).Round(time.Second), slope, deviation)
	if slope > 5 && slope > 3*deviation {
		b.Errorf("memory grows: %s", verdict)
	} else {
		b.Logf("memory is flat: %s", verdict)
	}
}

// line fits y = a + slope·x by least squares and gives the slope with its
// standard error. Neighbouring samples are not independent, so the error is
// that of the means of twenty blocks.
func line(x, y []float64) (slope, deviation float64) {
	const blocks = 20
	var bx, by []float64
	for i := range blocks {
		from, to := i*len(x)/blocks, (i+1)*len(x)/blocks
		if from < to {
			bx, by = append(bx, mean(x[from:to])), append(by, mean(y[from:to]))
		}
	}
	mx, my := mean(bx), mean(by)
	var sxx, sxy, rest float64
	for i := range bx {
		sxx += (bx[i] - mx) * (bx[i] - mx)
		sxy += (bx[i] - mx) * (by[i] - my)
	}
	slope = sxy / sxx
	for i := range bx {
		d := by[i] - my - slope*(bx[i]-mx)
		rest += d * d
	}
	return slope, math.Sqrt(rest / float64(len(bx)-2) / sxx)
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// program is the built scanner, running in a process of its own.
type program struct {
	cmd *exec.Cmd
	url string

	mu     sync.Mutex
	stderr bytes.Buffer
}

// Write takes the program's log.
func (p *program) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(data)
}

func (p *program) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// startProgram builds the scanner and lets it watch the film.
func startProgram(b *testing.B, f *film) *program {
	b.Helper()
	dir := b.TempDir()
	binary := filepath.Join(dir, "scanner")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("building the program: %v\n%s", err, out)
	}
	cards, cal := filepath.Join(dir, "cards"), filepath.Join(dir, "table.yaml")
	writePool120(b, f.table.deck, cards)
	calibration, err := f.table.calibration()
	if err != nil {
		b.Fatal(err)
	}
	if err := calibration.Save(cal); err != nil {
		b.Fatal(err)
	}
	camera := httptest.NewServer(mjpegOf(f))
	b.Cleanup(camera.Close)

	ctx, cancel := context.WithCancel(context.Background())
	p := &program{}
	p.cmd = exec.CommandContext(ctx, binary, "run", "--camera", camera.URL+"/stream", "--cards", cards, "--calibration", cal,
		"--journal", filepath.Join(dir, "soak.db"), "--listen", "127.0.0.1:0", "--log-level", "warn")
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGINT) }
	p.cmd.WaitDelay = 10 * time.Second
	p.cmd.Stderr = p
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		cancel()
		p.cmd.Wait() // its exit status is the signal's
	})
	lines := bufio.NewScanner(out)
	for p.url == "" && lines.Scan() {
		// The first address that is told is the board's.
		p.url = strings.TrimSuffix(webAddress.FindString(lines.Text()), "/")
	}
	if p.url == "" {
		b.Fatalf("the program did not start:\n%s", p.log())
	}
	go io.Copy(io.Discard, out)
	return p
}

// writePool120 writes the cards of pool120 as the folder that --cards takes.
func writePool120(b *testing.B, d *deck.Deck, dir string) {
	b.Helper()
	if err := d.WriteDir(dir); err != nil {
		b.Fatal(err)
	}
	for i := len(d.Cards()); i < 120; i++ {
		file, err := os.Create(filepath.Join(dir, fmt.Sprintf("painting-%d.png", i)))
		if err != nil {
			b.Fatal(err)
		}
		if err := png.Encode(file, deck.Painting(uint64(i), 286, 400)); err != nil {
			b.Fatal(err)
		}
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// mjpegOf is a network camera that plays a film over and over in real time.
func mjpegOf(f *film) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=frame")
		tick := time.NewTicker(time.Second / filmFPS)
		defer tick.Stop()
		for i := 0; ; i++ {
			jpeg := f.frames[i%len(f.frames)]
			if _, err := fmt.Fprintf(w, "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n", len(jpeg), jpeg); err != nil {
				return
			}
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
			}
		}
	})
}

var webAddress = regexp.MustCompile(`http://\S+`)

var frameCount = regexp.MustCompile(`(?m)^tabletop_frame_seconds_count (\d+)`)

// frames is how many frames the program has looked at.
func (p *program) frames(b *testing.B) int {
	b.Helper()
	response, err := http.Get(p.url + "/metrics")
	if err != nil {
		b.Fatalf("the program does not answer: %v\n%s", err, p.log())
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	m := frameCount.FindSubmatch(text)
	if m == nil {
		b.Fatalf("the program counts no frames:\n%s", text)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// status reads a size of the program from the kernel, in MB of 10^6 bytes.
func (p *program) status(b *testing.B, field string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^` + field + `:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		b.Fatalf("the kernel tells no %s", field)
	}
	kib, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib * 1024 / 1e6
}
