package rest

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestDecode_names_the_field_that_is_wrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := "/spaces/" + w.space(w.alice, `{}`)
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/files/upload", `{'file_name':1}`, "file_name must be a string"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':'10','content_type':'x/y'}`, "file_size must be a whole number"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':1.5,'content_type':'x/y'}`, "file_size must be a whole number"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':1e400,'content_type':'x/y'}`, "file_size must be a whole number"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':1,'content_type':[]}`, "content_type must be a string"},
		{"POST", "/files/upload", `{'file_size':1,'content_type':'x/y'}`, "file_name is required"},
		{"POST", "/files/upload", `{'file_name':null,'file_size':1,'content_type':'x/y'}`, "file_name is required"},
		{"POST", "/files/upload", `{'file_name':'a.glb','content_type':'x/y'}`, "file_size is required"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':null,'content_type':'x/y'}`, "file_size is required"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':0,'content_type':'x/y'}`, "file_size must be a whole number of bytes, at least 1"},
		{"POST", "/files/upload", `{'file_name':'a.glb','file_size':1}`, "content_type is required"},
		{"POST", "/files/upload", ``, "file_name is required"},
		{"POST", "/files/upload-complete", `{'extra_info':{'file_url':'x'}}`, "status is required"},
		{"POST", "/files/upload-complete", `{'status':true,'extra_info':{'file_url':'x'}}`, "status must be a string"},
		{"POST", "/files/upload-complete", `{'status':'success'}`, "extra_info.file_url is required"},
		{"POST", "/files/upload-complete", `{'status':'success','extra_info':null}`, "extra_info.file_url is required"},
		{"POST", "/files/upload-complete", `{'status':'success','extra_info':'x'}`, "extra_info must be an object"},
		{"POST", "/files/upload-complete", `{'status':'success','extra_info':{'file_url':{}}}`, "extra_info.file_url must be a string"},
		{"POST", "/user/create-space", `{'title':1}`, "title must be a string"},
		{"POST", "/user/create-space", `{'space_data':{'title':1}}`, "space_data.title must be a string"},
		{"POST", "/user/create-space", `{'space_data':[]}`, "space_data must be an object"},
		{"POST", "/user/create-space", `{'space_data':'{}'}`, "space_data must be an object"},
		{"POST", "/user/create-space", `{'space_type':1}`, "space_type must be a string"},
		{"POST", "/user/create-space", `{'space_type':'Hub'}`, "space_type must be hub or infinite"},
		{"POST", "/spaces", `{'description':false}`, "description must be a string"},
		{"POST", "/spaces", `{'privacy':{}}`, "Invalid privacy option"},
		{"PUT", space, `{'title':[]}`, "title must be a string"},
		{"PUT", space, `{'privacy':0}`, "Invalid privacy option"},
		{"PUT", space, `{'roomPrivacy':['Public']}`, "Invalid privacy option"},
		{"POST", space + "/entities", `{'entity_data':'{}'}`, "entity_data must be an object"},
		{"POST", space + "/entities", `{'entity_data':[]}`, "entity_data must be an object"},
		{"POST", space + "/entities", `{'entity_data':7}`, "entity_data must be an object"},
		{"POST", space + "/entities", `{'entity_data':true}`, "entity_data must be an object"},
		{"POST", space + "/entities", `{'entity_id':7}`, "entity_id must be a string"},
		{"POST", space + "/entities", `{'entity_type':7}`, "entity_type must be a string"},
		{"POST", space + "/entities", `{'resource_key':7}`, "resource_key must be a string"},
		{"PUT", space + "/entities/RoomInfo", `{'entity_data':[1]}`, "entity_data must be an object"},
		{"PUT", space + "/entities/RoomInfo", `{'entity_data':null}`, "entity_data is required and must be an object"},
		{"PUT", space + "/entities/RoomInfo", `{}`, "entity_data is required and must be an object"},
		{"POST", "/spaces/update-privacy", `{'roomPrivacy':'Public'}`, "spaceId is required"},
		{"POST", "/spaces/update-privacy", `{'spaceId':1,'roomPrivacy':'Public'}`, "spaceId must be a string"},
		{"POST", "/spaces/update-privacy", `{'spaceId':'x','roomPrivacy':'Public','informFollowers':'true'}`, "informFollowers must be true or false"},
	} {
		t.Run(c.method+c.path+c.body, func(t *testing.T) {
			w.call(w.alice, c.method, "/v1"+c.path, quotes(c.body)).refused(400, c.want)
		})
	}
}

func TestDecode_refuses_what_is_not_one_JSON_object(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"malformed", `{"title":}`, 400, "Request body is not valid JSON at byte 10"},
		{"cut short", `{"title":"a"`, 400, "Request body is not valid JSON at byte 12"},
		{"two values", `{} {}`, 400, "Request body is not valid JSON at byte 4"},
		{"garbage behind it", `{}x`, 400, "Request body is not valid JSON at byte 3"},
		{"a form", `title=a&b=c`, 400, "Request body is not valid JSON at byte 2"},
		{"an array", `[{}]`, 400, "Request body must be a JSON object"},
		{"a string", `"title"`, 400, "Request body must be a JSON object"},
		{"null", `null`, 400, "Request body must be a JSON object"},
		{"not UTF-8", "{\"title\":\"\xff\"}", 400, "Request body must be valid UTF-8"},
		{"nested without end", strings.Repeat(`{"a":`, testMaxBody/5), 400, "Request body is not valid JSON at byte 4095"},
		{"too large", `{"title":"` + strings.Repeat("a", testMaxBody) + `"}`, 413, "Request body is over the maximum of 4096 bytes"},
		{"too large with spaces", strings.Repeat(" ", testMaxBody) + `{}`, 413, "Request body is over the maximum of 4096 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{"/v1/spaces", "/v1/user/create-space", "/v1/files/upload"} {
				w.call(w.alice, "POST", path, c.body).refused(c.status, c.want)
			}
		})
	}
}

func TestDecode_takes_what_real_clients_send(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, contentType, body, title string }{
		{"no content type", "", `{"title":"a"}`, "a"},
		{"plain text", "text/plain;charset=UTF-8", `{"title":"a"}`, "a"},
		{"a form's type", "application/x-www-form-urlencoded", `{"title":"a"}`, "a"},
		{"no body", "application/json", ``, "Untitled space"},
		{"blanks", "application/json", " \r\n\t", "Untitled space"},
		{"blanks around it", "application/json", "\n {\"title\" : \"a\"}\r\n", "a"},
		{"unknown fields", "application/json", `{"title":"a","else":{"title":1}}`, "a"},
		{"a name twice", "application/json", `{"title":"b","title":"a"}`, "a"},
		{"null for an optional field", "application/json", `{"title":null,"resource_key":null,"space_type":null,"space_data":null}`, "Untitled space"},
		{"escapes", "application/json", `{"title":"\u003cb\u003e \ud83d\ude00"}`, "<b> 😀"},
	} {
		t.Run(c.name, func(t *testing.T) {
			request, err := http.NewRequest("POST", w.base+"/v1/user/create-space", strings.NewReader(c.body))
			check(t, err)
			request.Header.Set("Authorization", "Bearer "+w.alice.key)
			if c.contentType != "" {
				request.Header.Set("Content-Type", c.contentType)
			}
			got := read[struct{ Title string }](w.send(request), 200)
			if got.Title != c.title {
				t.Errorf("title: got %q, want %q", got.Title, c.title)
			}
		})
	}
}

func TestDecode_blames_the_client_for_a_body_that_ends_early(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	connection, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	check(t, err)
	defer func() { _ = connection.Close() }() // the response is read by then
	_, err = fmt.Fprintf(connection, "POST /v1/spaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Content-Length: 10\r\n\r\n{}", w.alice.key)
	check(t, err)
	check(t, connection.(*net.TCPConn).CloseWrite())
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	check(t, err)
	defer func() { _ = response.Body.Close() }() // as above
	if got, want := response.StatusCode, 400; got != want {
		t.Errorf("status: got %d, want %d", got, want)
	}
	if got := w.log.Lines(); len(got) != 0 {
		t.Errorf("log: got %v, want nothing", got)
	}
}
