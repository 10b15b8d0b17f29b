package rest

import (
	"strings"
	"testing"

	"portico/graph"
)

// A client cannot distinguish a closed connection from a failure of the network.
func TestPull_answers_an_error_before_the_first_byte(t *testing.T) {
	t.Parallel()
	var resolver *graph.Resolver
	w := serveWorld(t, func(o *Options) { resolver = o.Resolver })
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/hall.png','content':'x'}]}`).
		want(200, strings.ReplaceAll(applied, "%", `{'op':'put_asset','target':'hall.png'}`))
	for object, err := range resolver.Store.List(t.Context(), w.alice.id+"/") {
		check(t, err)
		check(t, resolver.Store.Delete(t.Context(), object.Key))
	}
	got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/pull", "")
	got.want(500, `{'status':'error','message':'Internal server error'}`)
	if header := got.header.Get("Content-Disposition"); header != "" {
		t.Errorf("Content-Disposition: got %q, want none", header)
	}
}
