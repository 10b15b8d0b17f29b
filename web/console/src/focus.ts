// Keeps the focus of the keyboard where the person is, so that the next Tab continues from there.

/** The parents of an element, the nearest first, each with the element's place among its children. */
export type Place = readonly { parent: Element; index: number }[];

/** Returns the place of an element, which can be found after the element is removed. */
export function placeOf(element: Element | null): Place {
  const place: { parent: Element; index: number }[] = [];
  for (let child = element; child?.parentElement; child = child.parentElement) {
    place.push({ parent: child.parentElement, index: [...child.parentElement.children].indexOf(child) });
  }
  return place;
}

const stops = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex]';

function isStop(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.matches(stops) &&
    element.tabIndex >= 0 &&
    !element.matches(':disabled') &&
    element.checkVisibility()
  );
}

/** Returns the elements that Tab reaches, an element itself or those within it, in their order. */
export function tabStops(within: Element): HTMLElement[] {
  return isStop(within) ? [within] : [...within.querySelectorAll(stops)].filter(isStop);
}

/** Focuses what is nearest to a place: what follows it, else what precedes it, else the view. */
export function focusNear(place: Place): void {
  for (const { parent, index } of place) {
    if (parent.tagName === 'MAIN') break;
    if (!parent.isConnected) continue;
    const children = [...parent.children];
    const after = children.slice(index).flatMap(tabStops);
    const stop = after[0] ?? children.slice(0, index).flatMap(tabStops).at(-1);
    if (stop) {
      stop.focus();
      return;
    }
  }
  document.getElementById('content')?.focus({ preventScroll: true });
}

/**
 * Moves the focus to the nearest control when the element that has it is removed or hidden.
 * Browsers drop the focus then, and Tab starts at the top of the page. Returns a function that stops it.
 */
export function keepFocus(): () => void {
  let last: HTMLElement | undefined;
  let place: Place = [];
  const stop = new AbortController();
  const { signal } = stop;
  document.addEventListener(
    'focusin',
    ({ target }) => {
      last = target as HTMLElement;
      place = placeOf(last);
    },
    { signal },
  );
  // A press on an empty part of the page moves the focus away on purpose.
  document.addEventListener(
    'pointerdown',
    () => {
      last = undefined;
    },
    { signal, capture: true },
  );
  const observer = new MutationObserver(() => {
    const lost = last && document.activeElement === document.body && !(last.isConnected && last.checkVisibility());
    if (!lost) return;
    last = undefined;
    focusNear(place);
  });
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['hidden'] });
  return () => {
    stop.abort();
    observer.disconnect();
  };
}

/**
 * Ignores clicks within elements that are aria-disabled. Buttons are not disabled while their
 * work continues, because browsers take the focus from a disabled button. Enter in a field clicks
 * the button of its form, so the form is not sent either. Returns a function that stops it.
 */
export function ignoreDisabled(): () => void {
  const ignore = (event: Event) => {
    if (!(event.target as Element | null)?.closest?.('[aria-disabled="true"]')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('click', ignore, { capture: true });
  return () => {
    document.removeEventListener('click', ignore, { capture: true });
  };
}
