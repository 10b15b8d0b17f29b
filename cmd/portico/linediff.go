package main

import (
	"fmt"
	"strings"
)

const (
	// contextLines is how many equal lines a diff shows around a change.
	contextLines = 3
	// maxDiffCells limits the table of a comparison to 16 MiB. A diff shows larger texts as
	// removed and added as a whole.
	maxDiffCells = 4 << 20
)

// diffLine is a line of a diff: kept (blank), removed (-) or added (+).
type diffLine struct {
	mark byte
	text string
}

// lineDiff returns the hunks of a unified diff. It has no header with the names of the files. It is
// "" for equal texts.
func lineDiff(before, after string) string {
	lines := compareLines(textLines(before), textLines(after))
	var b strings.Builder
	for start := 0; start < len(lines); {
		if lines[start].mark == ' ' {
			start++
			continue
		}
		from, to := max(0, start-contextLines), hunkEnd(lines, start)
		writeHunk(&b, lines, from, to)
		start = to
	}
	return b.String()
}

// textLines returns the lines without their newlines. Texts that differ only in the newline at
// their end have the same lines.
func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// hunkEnd returns the index after the last line of the hunk whose first change is at start. The
// hunk ends with up to contextLines equal lines.
func hunkEnd(lines []diffLine, start int) int {
	equal := 0
	for i := start; i < len(lines); i++ {
		equal++
		if lines[i].mark != ' ' {
			equal = 0
		}
		if equal > 2*contextLines {
			return i - contextLines
		}
	}
	return len(lines) - max(0, equal-contextLines)
}

// writeHunk writes a hunk with its header, as in the unified format of POSIX diff.
func writeHunk(b *strings.Builder, lines []diffLine, from, to int) {
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(lines, from, to, '+'), lineRange(lines, from, to, '-'))
	for _, line := range lines[from:to] {
		b.WriteByte(line.mark)
		b.WriteString(line.text + "\n")
	}
}

// lineRange returns the first line and the number of lines that a hunk has in one of the two
// texts. The mark other is the mark of the lines that only the other text has. As in the unified
// format of POSIX diff, a hunk without lines names the line before the hunk.
func lineRange(lines []diffLine, from, to int, other byte) string {
	count := func(lines []diffLine) (n int) {
		for _, line := range lines {
			if line.mark != other {
				n++
			}
		}
		return n
	}
	first, size := count(lines[:from]), count(lines[from:to])
	if size > 0 {
		first++
	}
	return fmt.Sprintf("%d,%d", first, size)
}

// compareLines returns all lines of both texts. The lines of a longest common subsequence are
// marked as kept. The common start and end of the texts need no table. Removed lines come before
// the added lines that replace them.
func compareLines(before, after []string) (lines []diffLine) {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		lines = append(lines, diffLine{' ', before[head]})
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	lines = append(lines, compareMiddle(before[head:len(before)-tail], after[head:len(after)-tail])...)
	for _, line := range before[len(before)-tail:] {
		lines = append(lines, diffLine{' ', line})
	}
	return lines
}

// compareMiddle returns all lines of two texts, as compareLines does, but without the search for a
// common start and end. It walks through the table from its first cell: a step down removes a line,
// a step to the right adds one, and a diagonal step keeps one. Without a table it removes all lines
// and then adds all.
func compareMiddle(before, after []string) (lines []diffLine) {
	common := commonLengths(before, after)
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case common != nil && i < len(before) && j < len(after) && before[i] == after[j]:
			lines = append(lines, diffLine{' ', before[i]})
			i, j = i+1, j+1
		case i < len(before) && (common == nil || j == len(after) || common[i+1][j] >= common[i][j+1]):
			lines = append(lines, diffLine{'-', before[i]})
			i++
		default:
			lines = append(lines, diffLine{'+', after[j]})
			j++
		}
	}
	return lines
}

// commonLengths returns the table whose cell [i][j] is the length of the longest common subsequence
// of before[i:] and after[j:]. It returns nil if the table would have more than maxDiffCells cells.
// It takes time and memory in proportion to the product of the numbers of lines.
func commonLengths(before, after []string) [][]int32 {
	if (len(before)+1)*(len(after)+1) > maxDiffCells {
		return nil
	}
	lengths := make([][]int32, len(before)+1)
	for i := range lengths {
		lengths[i] = make([]int32, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			if before[i] == after[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			}
		}
	}
	return lengths
}
