package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"
)

// drawInterval is the minimum time between two changes of a progress bar.
const drawInterval = 250 * time.Millisecond

// progressBar is a line of a terminal that shows the progress. A nil bar shows nothing.
//
// Its methods are safe for concurrent use: the parts of an upload are sent by several goroutines.
type progressBar struct {
	terminal io.Writer

	mu      sync.Mutex
	percent float64
	drawn   time.Time // when the bar was last drawn; zero before the first time
}

// draw draws the bar at most once in drawInterval. The bar never gets shorter.
func (b *progressBar) draw(percent float64, message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.percent = max(b.percent, percent)
	now := time.Now()
	if now.Sub(b.drawn) < drawInterval {
		return
	}
	b.drawn = now
	const width = 30
	full := min(width, int(b.percent/100*width))
	bar := strings.Repeat("#", full) + strings.Repeat(".", width-full)
	// Carriage return, then CSI K (ECMA-48, EL), which erases to the end of the line.
	_, _ = fmt.Fprintf(b.terminal, "\r\x1b[K[%s] %3.0f %% %s", bar, math.Floor(b.percent), message) // a closed terminal needs no bar
}

// clear erases the bar, before another line is printed.
func (b *progressBar) clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.drawn.IsZero() {
		_, _ = fmt.Fprint(b.terminal, "\r\x1b[K") // a closed terminal needs no bar
	}
}
