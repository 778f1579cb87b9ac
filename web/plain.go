package web

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
)

// PlainJSONError says what is wrong with JSON that a person wrote, in the words of
// JSON and not in those of Go: "copies is a list; it must be an object".
func PlainJSONError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle")
	}
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	is, _, _ := strings.Cut(kind.Value, " ") // "number 1.5"
	is = map[string]string{"array": "a list", "object": "an object", "string": "a text", "number": "a number", "bool": "true or false"}[is]
	if number, ok := strings.CutPrefix(kind.Value, "number "); ok {
		is = number
	}
	if own, _, wrapped := strings.Cut(err.Error(), ": json: "); wrapped {
		return errors.New(own + ", not " + is) // what reads it says itself how it is written
	}
	what := kind.Field
	if what == "" {
		what = "it"
	}
	return errors.New(what + " is " + is + "; it must be " + jsonKind(kind.Type))
}

// jsonKind is how a value of a type is written.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Pointer:
		return jsonKind(t.Elem())
	}
	return "something else"
}
