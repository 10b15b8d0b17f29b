package transport

import (
	"fmt"
	"net/http/httptest"

	"github.com/99designs/gqlgen/graphql/handler"
)

// The three transports in the order in which gqlgen asks them.
func Example() {
	server := handler.New(newTestSchema())
	server.AddTransport(WebSocket{})
	server.AddTransport(SSE{})
	server.AddTransport(HTTP{})

	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, httptest.NewRequest("GET", "/graphql?query={hello}", nil))
	fmt.Println(recorder.Body)
	// Output: {"data":{"hello":"hello"}}
}
