package subprocess

import "runtime"

// OnOwnThread calls run on a new thread that ends afterwards. No other goroutine continues on this
// thread, so run may change what cannot be changed back, such as the priority. The thread does not
// end earlier: Linux then kills the process that it started (see EndWithParent).
func OnOwnThread(run func() error) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends
		ended <- run()
	}()
	return <-ended
}
