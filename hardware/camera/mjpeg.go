package camera

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gocv.io/x/gocv"
)

// maxPicture bounds one compressed picture; a camera of 50 megapixels stays
// below it.
const maxPicture = 32 << 20

// OpenMJPEG opens an MJPEG stream: pictures one after the other in the body of
// a multipart/x-mixed-replace answer. A name and password in the address are
// sent as basic authentication.
func OpenMJPEG(ctx context.Context, a Address, opt Options) (Source, error) {
	if err := a.allow("rotation"); err != nil {
		return nil, err
	}
	turn, err := a.rotation()
	if err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	dial := func(ctx context.Context) (feed, error) { return dialMJPEG(ctx, a.Path, opt.StartWithin) }
	return asSource(openLive(ctx, a, opt, turn, false, dial))
}

func dialMJPEG(ctx context.Context, address string, timeout time.Duration) (feed, error) {
	ctx, cancel := context.WithCancel(ctx)
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: timeout}).DialContext,
		TLSHandshakeTimeout:   timeout,
		ResponseHeaderTimeout: timeout,
		DisableKeepAlives:     true, // one long answer, then the connection is of no more use
	}
	f := &mjpegFeed{cancel: func() {
		cancel()
		transport.CloseIdleConnections()
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		f.cancel()
		return nil, fmt.Errorf("not a web address: %w", err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		f.cancel()
		return nil, fmt.Errorf("the camera does not answer: %w; check that it is on, in this network, and that the address opens in a browser", err)
	}
	f.body = response.Body
	if err := f.begin(response); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// mjpegFeed reads one multipart answer.
type mjpegFeed struct {
	cancel context.CancelFunc
	body   io.ReadCloser
	parts  *multipart.Reader
	tried  bool // the first picture has been decoded to see that they are pictures
}

// begin checks that the answer is a stream of pictures and finds its boundary.
func (f *mjpegFeed) begin(response *http.Response) error {
	switch {
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the camera wants a name and a password (%s): write them into the address, http://name:password@…", response.Status)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the camera answers %q: the path in the address may be wrong; its manual or a browser shows the MJPEG address", response.Status)
	}
	kind, params, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind == "" { // cameras write boundaries that a strict reading refuses; the kind is still there
		kind, _, _ = strings.Cut(response.Header.Get("Content-Type"), ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	switch {
	case strings.HasPrefix(kind, "multipart/"):
	case strings.HasPrefix(kind, "image/"):
		return fmt.Errorf("this address gives one picture (%s), not a stream; the camera has another address for MJPEG", kind)
	case strings.HasPrefix(kind, "text/html"):
		return errors.New("this address is a web page, not a stream of pictures; copy the address of the picture on that page")
	default:
		return fmt.Errorf("this address gives %q, not an MJPEG stream (multipart/x-mixed-replace)", kind)
	}
	body := bufio.NewReaderSize(f.body, 64<<10)
	boundary, peekErr := peekBoundary(body)
	if peekErr != nil {
		return fmt.Errorf("the stream ended before its first picture: %w", peekErr)
	}
	if boundary == "" {
		boundary = params["boundary"]
	}
	if boundary == "" {
		return fmt.Errorf("the camera does not say what stands between its pictures (Content-Type %q: %w)", response.Header.Get("Content-Type"), err)
	}
	f.parts = multipart.NewReader(body, boundary)
	return nil
}

// peekBoundary reads the boundary off the stream's first line, because many
// cameras announce another one in the header than they send ("--x" for x, or
// one with a colon and no quotes). Empty when the first line is none.
func peekBoundary(r *bufio.Reader) (string, error) {
	for {
		line, err := r.Peek(2)
		if err != nil {
			return "", err
		}
		if string(line) != "\r\n" {
			break
		}
		if _, err := r.Discard(2); err != nil {
			return "", err
		}
	}
	const longest = 2 + 70 + 2 // RFC 2046, 5.1.1
	for n := 1; n <= longest; n++ {
		head, err := r.Peek(n)
		if err != nil {
			return "", err
		}
		if head[n-1] == '\n' {
			line := strings.TrimRight(string(head), "\r\n \t")
			if after, ok := strings.CutPrefix(line, "--"); ok {
				return after, nil
			}
			return "", nil
		}
	}
	return "", nil
}

func (f *mjpegFeed) read() (shot, error) {
	part, err := f.parts.NextRawPart()
	if err != nil {
		return nil, err
	}
	data, err := readPart(part)
	if err != nil {
		return nil, err
	}
	s := jpegShot(data)
	if f.tried {
		return s, nil
	}
	f.tried = true
	m, err := s.decode()
	if err != nil {
		return nil, fmt.Errorf("the stream's parts (%s) are no pictures: %w", part.Header.Get("Content-Type"), err)
	}
	m.Close()
	return s, nil
}

// readPart reads a picture. With its length given it need not wait for the
// boundary that follows, which many cameras send only with the next picture.
func readPart(part *multipart.Part) ([]byte, error) {
	if n, err := strconv.Atoi(strings.TrimSpace(part.Header.Get("Content-Length"))); err == nil && n > 0 {
		if n > maxPicture {
			return nil, fmt.Errorf("a picture of %d bytes is more than the %d allowed", n, maxPicture)
		}
		data := make([]byte, n)
		if _, err := io.ReadFull(part, data); err != nil {
			return nil, err
		}
		return data, nil
	}
	data, err := io.ReadAll(io.LimitReader(part, maxPicture+1))
	if err == nil && len(data) > maxPicture {
		err = fmt.Errorf("a picture is larger than the %d bytes allowed", maxPicture)
	}
	return data, err
}

func (f *mjpegFeed) interrupt() { f.cancel() }

func (f *mjpegFeed) close() error {
	f.cancel()
	f.body.Close() // after the cancel it says only that it was cancelled
	return nil
}

// jpegShot is one compressed picture of a stream.
type jpegShot []byte

func (s jpegShot) decode() (gocv.Mat, error) {
	// A picture cut short decodes with a grey rest; its end marker, which
	// cameras may follow with padding, is then missing.
	tail := s[max(0, len(s)-1024):]
	if bytes.HasPrefix(s, []byte{0xff, 0xd8}) && !bytes.Contains(tail, []byte{0xff, 0xd9}) {
		return gocv.Mat{}, fmt.Errorf("a picture of the stream was cut short (%d bytes)", len(s))
	}
	return decodePicture(s)
}

func (s jpegShot) free() {}
