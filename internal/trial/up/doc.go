// Command up measures how often the search for up is right: it generates captures whose up is
// known, in each of the six axis conventions that trainers write, makes their collisions, and
// compares the up that was found, and the up of the file's own axes, with the truth. Run it with `make bench-up`.
package main
