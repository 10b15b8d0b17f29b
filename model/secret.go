package model

// MinSecretBytes is the minimum length of the server's secret, from which the keys for encryption
// and signatures are derived: 128 bits, if it is random, cannot be guessed.
const MinSecretBytes = 16
