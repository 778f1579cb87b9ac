package identify

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"image"
	"image/color"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tabletop/board"
	"tabletop/catalog"
)

// Keeping says how an index is kept from one run to the next. The zero value
// keeps nothing.
type Keeping struct {
	// File is the stored index. What is in it and fits the catalogue's pictures
	// is taken from there; when others had to be computed it is written anew.
	// "" stores nothing.
	File string

	// Progress, when not nil, is told how many of the pictures that must be
	// computed are done. It is called by one goroutine at a time.
	Progress func(done, total int)

	// Warn, when not nil, is told what is wrong with the stored index: that it
	// is damaged and computed anew, or can't be written. Neither hinders.
	Warn func(error)
}

// Open prepares a catalogue for recognition, with the help of a stored index.
// Pictures whose file has neither another name, size nor time than when they
// were stored are not read. The others are read one after the other on every
// core.
//
// When ctx ends or a picture can't be read, what was computed until then is
// stored all the same, so that the next run goes on from there.
func Open(ctx context.Context, cat *catalog.Catalog, opts Options, keep Keeping) (*Index, error) {
	ix, err := newIndex(cat, opts)
	if err != nil {
		return nil, err
	}
	warn := keep.Warn
	if warn == nil {
		warn = func(error) {}
	}
	began := time.Now()
	pictures := cat.Pictures()
	have := make([]bool, len(pictures))
	if keep.File != "" {
		err := ix.load(keep.File, pictures, have)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			warn(fmt.Errorf("the stored index of the cards is made anew: %w", err))
		}
		if err != nil {
			clear(have)
		}
	}
	computed, err := ix.compute(ctx, pictures, have, keep.Progress)
	if keep.File != "" && computed > 0 && slices.ContainsFunc(pictures, func(p catalog.Picture) bool { return p.File != "" }) {
		if err := ix.store(keep.File, pictures, have, began); err != nil {
			warn(fmt.Errorf("the index of the cards can't be stored, and will be computed again the next time: %w", err))
		}
	}
	if err != nil {
		return nil, err
	}
	return ix, nil
}

// compute takes in the pictures that it doesn't have, and says how many those
// were.
func (ix *Index) compute(ctx context.Context, pictures []catalog.Picture, have []bool, progress func(done, total int)) (int, error) {
	var missing []int
	for i, h := range have {
		if !h {
			missing = append(missing, i)
		}
	}
	var mu sync.Mutex
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, i := range missing {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			img, err := pictures[i].Read()
			if err != nil {
				return err
			}
			ix.put(i, img)
			mu.Lock()
			defer mu.Unlock()
			have[i] = true
			done++
			if progress != nil {
				progress(done, len(missing))
			}
			return nil
		})
	}
	err := group.Wait()
	if err == nil && done < len(missing) {
		err = context.Cause(ctx)
	}
	return done, err
}

// The form of a stored index, which the package comment describes.
const (
	magic         = "tabindex"
	formatVersion = 1

	descriptorBytes = 4 * descriptorLen
	coloursBytes    = 4 * 2 * numBlocks
	bodyBytes       = descriptorBytes + coloursBytes + gridW*gridH
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errForeign says that a stored index is of another program or version.
var errForeign = errors.New("it is of another version of this program")

// freshness is how long before an index is made a picture must have been written
// last for its time to tell it from a later version: some file systems count
// in steps of two seconds.
const freshness = 3 * time.Second

// key is what a picture is found by in a stored index.
type key struct {
	name     string
	bytes    int64
	modified int64
}

func (ix *Index) keyOf(ref int, p catalog.Picture) key {
	name := filepath.Base(p.File)
	if ix.isBack(ref) {
		name = catalog.BacksFolder + "/" + name
	}
	return key{name, p.Bytes, p.Modified.UnixNano()}
}

// load takes from a stored index what fits the pictures, and marks them.
func (ix *Index) load(file string, pictures []catalog.Picture, have []bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	in := bufio.NewReaderSize(&summed{io.LimitReader(f, info.Size()-4), sum}, 1<<20)
	head := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(magic)]) != magic {
		return fmt.Errorf("%s is damaged: it does not begin as a stored index does", file)
	}
	if binary.LittleEndian.Uint32(head[len(magic):]) != formatVersion || binary.LittleEndian.Uint32(head[len(magic)+4:]) != recipe() {
		return fmt.Errorf("%s: %w", file, errForeign)
	}
	wanted := make(map[key]int, len(pictures))
	for i, p := range pictures {
		if p.File != "" {
			wanted[ix.keyOf(i, p)] = i
		}
	}
	for {
		k, wide, err := readHead(in)
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("%s is damaged: %w", file, err)
		}
		if i, ok := wanted[k]; ok && pictures[i].Wide == wide {
			err = ix.readBody(in, i, wide)
			have[i] = true
		} else {
			_, err = in.Discard(bodyBytes)
		}
		if err != nil {
			return fmt.Errorf("%s is damaged: the record of %s is cut off", file, k.name)
		}
	}
	var end [4]byte
	if _, err := io.ReadFull(f, end[:]); err != nil {
		return fmt.Errorf("%s is damaged: its end is missing", file)
	}
	if binary.LittleEndian.Uint32(end[:]) != sum.Sum32() {
		return fmt.Errorf("%s is damaged: its check sum is wrong", file)
	}
	return nil
}

// summed sums up what is read through it.
type summed struct {
	r   io.Reader
	sum hash.Hash32
}

func (s *summed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

// readHead reads what stands before a record's numbers; io.EOF when there is no
// further record.
func readHead(in *bufio.Reader) (key, bool, error) {
	var length [2]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return key{}, false, err // io.EOF where nothing follows
	}
	head := make([]byte, int(binary.LittleEndian.Uint16(length[:]))+8+8+1)
	if _, err := io.ReadFull(in, head); err != nil {
		return key{}, false, errors.New("the head of a record is cut off")
	}
	n := len(head) - 17
	return key{
		name:     string(head[:n]),
		bytes:    int64(binary.LittleEndian.Uint64(head[n:])),
		modified: int64(binary.LittleEndian.Uint64(head[n+8:])),
	}, head[n+16] == 1, nil
}

// readBody reads a record's numbers into the index.
func (ix *Index) readBody(in *bufio.Reader, ref int, wide bool) error {
	body, err := in.Peek(bodyBytes)
	if err != nil {
		return err
	}
	var d descriptor
	body = readFloats(body, d[:])
	ix.search.set(ref, &d)
	r := &ix.refs[ref]
	for c := range r.colour {
		body = readFloats(body, r.colour[c][:])
	}
	r.colourful = r.colour.strength()
	copy(r.luma, body)
	ix.wide[ref] = wide
	_, err = in.Discard(bodyBytes)
	return err
}

func readFloats(data []byte, out []float32) []byte {
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return data[4*len(out):]
}

// appendBody writes a reference's numbers.
func (ix *Index) appendBody(data []byte, ref int) []byte {
	d := ix.search.at(ref)
	data = appendFloats(data, d[:])
	for _, c := range ix.refs[ref].colour {
		data = appendFloats(data, c[:])
	}
	return append(data, ix.refs[ref].luma...)
}

func appendFloats(data []byte, v []float32) []byte {
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// store writes the pictures that it has to a file.
func (ix *Index) store(file string, pictures []catalog.Picture, have []bool, began time.Time) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+UnfinishedMark+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	sum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	data := []byte(magic)
	data = binary.LittleEndian.AppendUint32(data, formatVersion)
	data = binary.LittleEndian.AppendUint32(data, recipe())
	if _, err := out.Write(data); err != nil {
		return err
	}
	for i, p := range pictures {
		k := ix.keyOf(i, p)
		if !have[i] || p.File == "" || len(k.name) > math.MaxUint16 || began.Sub(p.Modified).Abs() < freshness {
			continue
		}
		data = binary.LittleEndian.AppendUint16(data[:0], uint16(len(k.name)))
		data = append(data, k.name...)
		data = binary.LittleEndian.AppendUint64(data, uint64(k.bytes))
		data = binary.LittleEndian.AppendUint64(data, uint64(k.modified))
		wide := byte(0)
		if p.Wide {
			wide = 1
		}
		data = ix.appendBody(append(data, wide), i)
		if _, err := out.Write(data); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := binary.Write(f, binary.LittleEndian, sum.Sum32()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// UnfinishedMark stands in the name of a stored index that is being written,
// after its own name. A program that is killed leaves such a file behind.
const UnfinishedMark = ".part-"

// recipe is the check sum of what is computed of a picture with all there is in
// one: slopes, edges, colours, more pixels than are kept.
var recipe = sync.OnceValue(func() uint32 {
	img := image.NewRGBA(image.Rect(0, 0, 500, 700))
	for y := range 700 {
		for x := range 500 {
			c := color.RGBA{uint8(x / 2), uint8(y / 3), uint8(x * y >> 10), 255}
			if (x/37+y/53)%3 == 0 {
				c.R, c.G = 255-c.R, uint8(x*x>>10)
			}
			img.SetRGBA(x, y, c)
		}
	}
	cat, err := catalog.New([]catalog.Entry{{Card: board.Card{ID: "recipe"}, Face: img}}, nil)
	if err != nil {
		panic(err) // the picture above is a good one
	}
	kept, err := cat.Pictures()[0].Read()
	if err != nil {
		panic(err) // it is in memory
	}
	ix := Index{layout: newLayout()}
	ix.allocate(1)
	ix.put(0, kept)
	return crc32.Checksum(ix.appendBody(nil, 0), castagnoli)
})
