package property

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf16"
)

// mutator turns good requests into bad ones.
type mutator struct{ *rand.Rand }

func pick[T any](m mutator, values []T) T { return values[m.IntN(len(values))] }

// oddValues contains replacements of values: JSON, or nearly JSON.
var oddValues = []string{
	`null`, `true`, `0`, `-1`, `-0`, `1.5`, `1e999`, `-1E400`, `1e-999`, `123456789012345678901234567890`, `9223372036854775807`,
	`9223372036854775808`, `0.1e1000000`, `""`, `" "`, `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"💥"`, `"\uffff"`,
	"\"\xff\"", "\"\xed\xa0\x80\"", `[]`, `{}`, `[[]]`, `{"a":{"b":[]}}`, `{"":null}`, `{"a":1,"a":2}`, `NaN`, `Infinity`, `01`, `'x'`,
	`undefined`, `{"$ref":"#"}`, `"__proto__"`, `{"__proto__":{"a":1}}`, `"<script>"`, `"'; DROP TABLE spaces; --"`, `"%"`, `"_"`,
	`"\\"`, `"\n"`, `"../../etc/passwd"`, `"/"`, `"a/b"`, `"@s1@"`, `"@s3@"`, `"@e3@"`, `"@f1@"`, `"@f4@"`, `"@u4@"`, `"@u6@"`, `"@j5@"`,
	`"@u1@?x=1"`, `"@u1@#x"`, `"@u1@/"`, `"@u1@%00"`, `"Link Only"`, `"Open"`, `"Gate"`, `"DynamicGate"`, `"RoomInfo"`, `"hub"`,
	`"9769e4b4-e5d9-4286-9353-c2c66b158347"`, `"success"`, `"2026-01-27T09:30:00.000Z"`, `"http://[::1"`, `"https://"`, `"http://a b"`,
	`{"position":{"x":1e400,"y":1,"z":1},"rotation":{"x":0,"y":0,"z":0}}`, `{"dynamicGate":{"position":[]}}`, `"\u202e.glb"`, `".glb"`, `"a.glb\u0000"`,
}

// oddBytes contains bytes that do not belong into bodies.
var oddBytes = []string{
	"\x00", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xef\xbb\xbf", "{", "}", "[", "]", `"`, ",", ":", "\\", `\u`, "\r\n", "//", "1", "é", "\u2028",
}

// oddHeaders contains whole header lines.
var oddHeaders = []string{
	"Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data; boundary=x",
	"Content-Type: application/json; charset=utf-16", "Content-Type: application/json;charset=\"", "Content-Type: \xff", "Content-Type: ;",
	"Content-Encoding: gzip", "Content-Encoding: br", "Content-Encoding: identity", "Accept: text/html", "Accept: */*;q=0", "Accept: text/event-stream",
	"Accept: application/graphql-response+json", "Accept: \xff,;=", "Accept-Encoding: gzip;q=0, *;q=0", "Expect: 100-continue", "Expect: x",
	"X-HTTP-Method-Override: DELETE", "X-Forwarded-For: 127.0.0.1, x", "X-Forwarded-Host: elsewhere.example", "Forwarded: for=\"[::1]\"", "X-Request-Id: forged",
	"Range: bytes=0-1", "Range: bytes=-0", "Range: bytes=99999999999999999999-", "Range: bytes=0-0,0-0,0-0,1-1,2-2", "Range: x=1", "If-Range: x",
	"If-None-Match: *", "If-Match: \"x\"", "If-Modified-Since: x", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT", "Origin: null",
	"Origin: https://elsewhere.example", "Access-Control-Request-Method: PUT", "Cookie: a=b; c", "Connection: close, x", "Connection: Upgrade",
	"Authorization: Basic x", "Authorization: Bearer", "Authorization: Bearer \xff", "Content-Length: 3", "Transfer-Encoding: gzip, chunked",
	"TE: trailers", "Trailer: X", "Sec-Fetch-Site: cross-site", "Last-Event-ID: 1", "Mcp-Session-Id: x", "Host: elsewhere.example", "X: " + strings.Repeat("x", 9000),
}

// oddIDs contains replacements of ids, with slashes and escapes.
var oddIDs = []string{
	"", ".", "..", "%2e%2e", "../..", "%2F", "a%2Fb", "%2e%2e%2f%2e%2e", "%00", "%ff", "%C0%AF", "%", "%zz", "%25", "%2525", "@s3@", "@e3@", "@j5@", "@f4@",
	"@s1@%00", "@s1@%20", "@s3@/entities", "@s3@/entities/RoomInfo", "@s3@/entities/@e3@", "update-privacy", "RoomInfo", "roominfo", "entities", "null",
	"undefined", "💥", "é", "a b", "a+b", "a;b=c", "a?b", "a#b", "*", "'", "\"", "<", "\\", "~", "-1", "0", "9769e4b4-e5d9-4286-9353-c2c66b158347",
	"@s1@;v=1", "@s1@,@s3@", "%73", "10000000_x", "http://portico.test/v1/jobs", "\u202e", "_", "\x00", "\xff", "@k4@", "@k6@", "@k1@/", "@k1@%2f", "@k1@?x", "/@k1@",
	"@k1@/../../@k4@", "@k1@%2e", "objects", "../incoming", strings.Repeat("x", 300), strings.Repeat("x/", 600),
}

// oddQueries contains parts of queries, with cursors of other lists.
var oddQueries = []string{
	"limit=", "limit=0", "limit=-1", "limit=1.5", "limit=1e3", "limit=99999999999999999999", "limit=%00", "limit=0x10", "limit=+5", "limit=5&limit=0",
	"cursor=", "cursor=x", "cursor=@c1@", "cursor=@c2@", "cursor=@c3@", "cursor=@c1@@c2@", "cursor=YWZ0ZXI6MA", "cursor=YWZ0ZXI6LTE",
	"cursor=YWZ0ZXI6OTIyMzM3MjAzNjg1NDc3NTgwNw", "cursor=YWZ0ZXI6OTIyMzM3MjAzNjg1NDc3NTgwOA", "cursor=%ff", "cursor=====", "cursor[]=x",
	"search=", "search=%25", "search=_", "search=%5C", "search=%00", "search=%ff", "search='", "search=%F0%9F%92%A5", "search=(", "search=SECRET", "search=secret",
	"%", "%zz=1", "=", "&&&", ";", "a=b;c=d", "limit", "q=%u0041", "search=" + "x%20", "variables=%7B%7D", "query=%7B__typename%7D", "query={viewer{email}}&variables=1",
	"resource_key=@f4@", "resource_key=@f1@%00", "resource_key=", "resource_key=..%2F@f4@", "size=10", "size=-1", "size=010", "expires=0", "expires=99999999999999999999", "signature=", "signature=x", "@q3@", "@q3@&size=11", "size=11&@q3@",
}

// oddMethods contains replacements of the method. CONNECT never reaches a handler.
var oddMethods = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "get", "X", "PROPFIND", "LINK", strings.Repeat("M", 300)}

// mutate returns a request that is wrong in one to three ways, or not at all.
func (m mutator) mutate(e endpoint, good []string) request {
	if len(good) > 0 {
		e.body = pick(m, good)
	}
	ids := append([]string(nil), e.ids...)
	query := e.query
	if e.name == "PresignedPut" {
		query = "@q3@"
	}
	kinds := []func(*request){m.changeMethod, m.changeHeader, m.changeHeader, m.changeAddress, m.changeFraming}
	if m.IntN(2) == 0 {
		for range min(len(ids), 1+m.IntN(2)) {
			ids[m.IntN(len(ids))] = pick(m, oddIDs)
		}
	}
	if m.IntN(3) == 0 || e.query != "" {
		query = m.query(query)
	}
	q := e.request(ids, query)
	for range m.IntN(3) {
		if e.body != "" {
			kinds = append(kinds, m.changeValue, m.changeValue, m.changeValue, m.changeValue, m.damage, m.damage, m.encode)
		}
		pick(m, kinds)(&q)
	}
	return q
}

func (m mutator) query(query string) string {
	parts := strings.Split(query, "&")
	for range m.IntN(3) {
		parts[m.IntN(len(parts))] = pick(m, oddQueries)
	}
	if m.IntN(5) == 0 {
		parts = append(parts, pick(m, oddQueries))
	}
	return strings.Join(parts, "&")
}

func (m mutator) changeMethod(q *request) { q.method = pick(m, oddMethods) }

func (m mutator) changeHeader(q *request) {
	line := pick(m, oddHeaders)
	if m.IntN(2) == 0 { // instead of the existing one
		q.headers = nil
	}
	q.headers = append(q.headers, line)
}

// changeAddress changes the spelling of the address, or leaves the key out.
func (m mutator) changeAddress(q *request) {
	switch m.IntN(7) {
	case 0:
		q.target = strings.ReplaceAll(q.target, "/", "//")
	case 1:
		q.target += "/"
	case 2:
		q.target = strings.Replace(q.target, "/v1", "/api/v1", 1)
	case 3:
		q.target = "http://elsewhere.example" + strings.TrimPrefix(q.target, base)
	case 4:
		q.target = strings.Replace(q.target, "/v1/", "/v1/./../v1/", 1)
	case 5:
		q.target = strings.ToUpper(q.target)
	default:
		q.key = anonymous
	}
}

func (m mutator) changeFraming(q *request) {
	switch m.IntN(4) {
	case 0:
		q.chunked = true
	case 1: // a body where none belongs, or none where one does
		if q.body == "" {
			q.body = `{"a":1}`
		} else {
			q.body = ""
		}
	case 2:
		q.chunked, q.body = true, q.body+" "
	default:
		q.body = strings.Repeat(" ", m.IntN(2_000_000)) + q.body
	}
}

// changeValue replaces one of the values of the body by an odd one, or adds it beside the
// value.
func (m mutator) changeValue(q *request) {
	var whole any
	decoder := json.NewDecoder(strings.NewReader(q.body))
	decoder.UseNumber()
	if decoder.Decode(&whole) != nil {
		m.damage(q)
		return
	}
	odd := pick(m, oddValues)
	switch m.IntN(12) {
	case 0:
		depth := pick(m, []int{20, 900, 1001, 3000, 9_990, 11_000, 100_000})
		odd = strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
	case 1:
		depth := pick(m, []int{20, 990, 1001, 3000})
		odd = strings.Repeat(`{"a":`, depth) + `1` + strings.Repeat(`}`, depth)
	case 2:
		odd = `"` + strings.Repeat(pick(m, []string{"x", "é", `\u0041`, "💥"}), pick(m, []int{129, 256, 501, 20_001, 200_000, 1_100_000})) + `"`
	}
	const hole = "PUT-IT-HERE"
	m.replace(&whole, m.IntN(1+count(whole)), hole)
	b, err := json.Marshal(whole)
	if err != nil {
		panic(err) // it was decoded just now
	}
	q.body = strings.Replace(string(b), `"`+hole+`"`, odd, 1)
	if m.IntN(10) == 0 && strings.HasPrefix(q.body, "{") { // the same name twice
		q.body = `{"` + pick(m, []string{"title", "entity_data", "spaceId", "query", "status"}) + `":` + odd + "," + q.body[1:]
	}
}

// count returns the number of values inside the value.
func count(value any) int {
	n := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			n += 1 + count(inner)
		}
	case []any:
		for _, inner := range v {
			n += 1 + count(inner)
		}
	}
	return n
}

// replace replaces one of the values by the text. It chooses by chance, because maps have
// no order to count in.
func (m mutator) replace(value *any, left int, text string) {
	switch v := (*value).(type) {
	case map[string]any:
		if left == 0 || len(v) == 0 {
			break
		}
		names := sortedNames(v)
		name := pick(m, names)
		inner := v[name]
		m.replace(&inner, m.IntN(2), text)
		v[name] = inner
		return
	case []any:
		if left == 0 || len(v) == 0 {
			break
		}
		m.replace(&v[m.IntN(len(v))], m.IntN(2), text)
		return
	}
	*value = text
}

// damage changes bytes of the body.
func (m mutator) damage(q *request) {
	at := m.IntN(len(q.body) + 1)
	switch m.IntN(4) {
	case 0:
		q.body = q.body[:at]
	case 1:
		q.body = q.body[:at] + pick(m, oddBytes) + q.body[at:]
	case 2:
		q.body += pick(m, []string{q.body, "x", "null", "\x00", "}"})
	default:
		q.body = pick(m, append([]string{"[" + q.body + "]", "", " ", `"` + q.body + `"`}, oddValues...))
	}
}

// encode sends the body in another encoding, with or without saying so.
func (m mutator) encode(q *request) {
	switch m.IntN(3) {
	case 0:
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(q.body)) // into memory
		_ = w.Close()
		q.body, q.headers = b.String(), append(q.headers, "Content-Encoding: gzip")
	case 1:
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(q.body)) {
			fmt.Fprintf(&b, "%c%c", unit>>8, unit&0xff)
		}
		q.body = b.String()
	default:
		q.body = "\xef\xbb\xbf" + q.body
	}
}
