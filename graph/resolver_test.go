package graph_test

import (
	"reflect"
	"testing"

	"portico/db"
	"portico/graph"
	"portico/storage"
)

// A door that could reach the database or the store would pass by the rules of the core.
func TestResolver_hides_its_parts(t *testing.T) {
	t.Parallel()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[graph.Resolver]()) {
		if field.IsExported() {
			t.Errorf("fields of Resolver: got %s, want no exported field", field.Name)
		}
	}
	resolver := reflect.TypeFor[*graph.Resolver]()
	for i := range resolver.NumMethod() {
		method := resolver.Method(i)
		for j := range method.Type.NumOut() {
			result := method.Type.Out(j)
			if result == reflect.TypeFor[*db.DB]() || result == reflect.TypeFor[storage.Store]() {
				t.Errorf("%s: got a method that returns the part %v, want none", method.Name, result)
			}
		}
	}
}

func TestNew_refuses_to_leave_out_a_required_part(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	complete := graph.Options{DB: w.db, Store: w.store, Logger: w.Logger()}
	graph.New(complete)
	for name, remove := range map[string]func(*graph.Options){
		"DB": func(o *graph.Options) { o.DB = nil }, "Store": func(o *graph.Options) { o.Store = nil }, "Logger": func(o *graph.Options) { o.Logger = nil },
	} {
		incomplete := complete
		remove(&incomplete)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("without %s: got a resolver, want a panic", name)
				}
			}()
			graph.New(incomplete)
		}()
	}
}
