package oauth

import "net/url"

// knownParameters are the parameters of the requests that the server receives.
var knownParameters = []string{
	"client_id", "client_secret", "code", "code_challenge", "code_challenge_method", "code_verifier",
	"grant_type", "redirect_uri", "response_type", "scope", "state", "token", "token_type_hint",
}

// refuseRepeated refuses a request with a repeated parameter (RFC 6749 sections 3.1 and 3.2).
// resource may be repeated (RFC 8707 section 2).
//
// The description names known parameters only. Other names may have characters that a description
// must not have (RFC 6749 sections 4.1.2.1 and 5.2).
func refuseRepeated(parameters url.Values) *refusal {
	for _, name := range knownParameters {
		if len(parameters[name]) > 1 {
			return newRefusal(invalidRequest, name+" occurs more than once")
		}
	}
	for name, values := range parameters {
		if len(values) > 1 && name != "resource" {
			return newRefusal(invalidRequest, "A parameter occurs more than once")
		}
	}
	return nil
}
