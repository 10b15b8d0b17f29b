package property

import (
	"strings"
	"testing"
)

// fuzz sends the fuzzer's ids, query, headers and body to the endpoint. All of them may
// have placeholders, so an input means the same in every process.
func fuzz(f *testing.F, name string) {
	f.Helper()
	var e endpoint
	for _, other := range endpoints {
		if other.name == name {
			e = other
		}
	}
	p := newProber(f, newServer(f), e.judge)
	seed(f, e)
	f.Fuzz(func(t *testing.T, ids, query, headers, body string) {
		q := e.request(strings.Split(ids, "\n"), query)
		q.headers, q.body = strings.Split(headers, "\n"), body
		if headers == "" {
			q.headers = nil
		}
		if _, err := p.probe(q); err != nil {
			t.Fatal(err)
		}
	})
}

// seed adds good requests to the fuzzer's corpus, and each kind of odd part once.
func seed(f *testing.F, e endpoint) {
	f.Helper()
	const content = "Content-Type: application/json"
	ids, query := strings.Join(e.ids, "\n"), e.query
	headers := strings.Join(e.request(e.ids, query).headers, "\n")
	if e.name == "PresignedPut" {
		query = "@q3@"
	}
	f.Add(ids, query, headers, e.body)
	for _, id := range []string{"@s3@\n@e3@", "@s1@%2F\n..", "@j5@", "@k4@"} {
		f.Add(id, query, headers, e.body)
	}
	f.Add(ids, "limit=0&cursor=@c3@&search=%25", headers, e.body)
	f.Add(ids, query, content+"\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n")
	f.Add(ids, query, "Range: bytes=0-1\nIf-None-Match: *\nAccept: text/event-stream\n"+content, e.body)
	if e.name == "GraphQL" {
		for _, body := range graphQLBodies() {
			f.Add("", "", content, body)
		}
		return
	}
	for _, odd := range []string{`null`, `"\ud800\u0000"`, `1e999`, `[[]]`, `{"a":{"a":1}}`, "\"\xff\"", `"@s3@"`, `"@f4@"`} {
		f.Add(ids, query, content, `{"space_data":`+odd+`,"entity_data":`+odd+`,"title":`+odd+`,"privacy":`+odd+`,"spaceId":`+odd+`,"file_name":`+odd+`,"x":`+odd+`}`)
	}
}

func FuzzFilesGet(f *testing.F)           { fuzz(f, "FilesGet") }
func FuzzFilesDelete(f *testing.F)        { fuzz(f, "FilesDelete") }
func FuzzUploadPost(f *testing.F)         { fuzz(f, "UploadPost") }
func FuzzUploadCompletePost(f *testing.F) { fuzz(f, "UploadCompletePost") }
func FuzzJobsGet(f *testing.F)            { fuzz(f, "JobsGet") }
func FuzzJobGet(f *testing.F)             { fuzz(f, "JobGet") }
func FuzzMeGet(f *testing.F)              { fuzz(f, "MeGet") }
func FuzzCreateSpacePost(f *testing.F)    { fuzz(f, "CreateSpacePost") }
func FuzzSpacesGet(f *testing.F)          { fuzz(f, "SpacesGet") }
func FuzzSpacesPost(f *testing.F)         { fuzz(f, "SpacesPost") }
func FuzzUpdatePrivacyPost(f *testing.F)  { fuzz(f, "UpdatePrivacyPost") }
func FuzzSpaceGet(f *testing.F)           { fuzz(f, "SpaceGet") }
func FuzzSpacePut(f *testing.F)           { fuzz(f, "SpacePut") }
func FuzzSpaceDelete(f *testing.F)        { fuzz(f, "SpaceDelete") }
func FuzzEntitiesGet(f *testing.F)        { fuzz(f, "EntitiesGet") }
func FuzzEntitiesPost(f *testing.F)       { fuzz(f, "EntitiesPost") }
func FuzzEntityGet(f *testing.F)          { fuzz(f, "EntityGet") }
func FuzzEntityPut(f *testing.F)          { fuzz(f, "EntityPut") }
func FuzzEntityDelete(f *testing.F)       { fuzz(f, "EntityDelete") }
func FuzzGraphQL(f *testing.F)            { fuzz(f, "GraphQL") }
func FuzzPresignedPut(f *testing.F)       { fuzz(f, "PresignedPut") }
func FuzzPublicFileGet(f *testing.F)      { fuzz(f, "PublicFileGet") }
