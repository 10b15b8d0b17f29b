package private

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	// maxServerLog is the size above which the log is emptied at a start. A private
	// server logs little, but for years.
	maxServerLog = 10 << 20
	// maxTail is the maximum length of the log's end in an error message.
	maxTail = 2 << 10
)

// serverLog is the server's log file. It is a file instead of a pipe to this process,
// because the server still writes to it when this process has been killed.
type serverLog struct {
	*os.File
	start int64 // offset of the first line of this start
}

// openServerLog opens the log for appending.
func openServerLog(p location) (*serverLog, error) {
	f, err := p.account.openFile(p.path("server.log"), os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("open the log of the server: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxServerLog {
		err = f.Truncate(0)
	}
	start, seekErr := f.Seek(0, io.SeekEnd)
	if err := errors.Join(err, seekErr); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log of the server: %w", err), f.Close())
	}
	return &serverLog{File: f, start: start}, nil
}

// tail returns the last lines since this start, for an error message.
func (l *serverLog) tail() string {
	end, err := l.Seek(0, io.SeekEnd)
	if err != nil {
		return err.Error()
	}
	from := max(l.start, end-maxTail)
	text := make([]byte, end-from)
	if _, err := l.ReadAt(text, from); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}
