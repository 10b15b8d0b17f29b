// The controls over the view are hidden while nobody uses them.

/** How long the controls stay, in milliseconds. */
const delay = 4000;

/** Hides the controls of the scene by data-idle, unless isBusy forbids it for now. */
export function hideWhenIdle(scene: HTMLElement, toolbar: HTMLElement, isBusy: () => boolean): void {
  let timer = 0;
  let wokenByTouch = false;
  const wake = (): void => {
    delete scene.dataset['idle'];
    clearTimeout(timer);
    timer = window.setTimeout(hide, delay);
  };
  const hide = (): void => {
    const isUsed = toolbar.querySelector(':focus-visible') !== null || (toolbar.matches(':hover') && matchMedia('(hover: hover)').matches);
    if (isUsed || isBusy())
      wake(); // and looks again
    else scene.dataset['idle'] = '';
  };
  for (const event of ['pointermove', 'keydown', 'focusin', 'wheel']) window.addEventListener(event, wake, { passive: true });
  window.addEventListener(
    'pointerdown',
    (event) => {
      wokenByTouch = event.pointerType === 'touch' && 'idle' in scene.dataset;
      wake();
    },
    true,
  );
  // A touch brings the controls back. It does not press the one that nobody saw.
  toolbar.addEventListener(
    'click',
    (event) => {
      if (!wokenByTouch) return;
      event.preventDefault();
      event.stopPropagation();
      wokenByTouch = false;
    },
    true,
  );
  wake();
}
