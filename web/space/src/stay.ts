// Reports what came of a visit when the visitor leaves: where from, on what, how long, and which tours and
// annotations were seen to their end. It stores nothing in the browser, and has nothing of a person.

/** A visitor may come back to a hidden page, whose time goes on then. */
interface Report {
  continued: boolean;
  host: string;
  place: 'page' | 'embed';
  device: 'desktop' | 'tablet' | 'phone' | 'headset';
  seconds: number;
  tours: string[];
  annotations: string[];
}

/** What the page tells about a tour that is played; the stop is null at its end. */
interface TourDetail {
  entityId: string;
  stop: number | null;
  stops: number;
}

/** Starts to count, unless the visitor asks not to be tracked. */
export function countStay(scene: HTMLElement): void {
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean };
  if (globalPrivacyControl || navigator.doNotTrack === '1') return;
  const tours = new Set<string>();
  const annotations = new Set<string>();
  const reported = new Set<string>();
  let continued = false;
  let since = document.hidden ? null : performance.now();

  scene.addEventListener('portico:annotation', (event) => annotations.add((event as CustomEvent<string>).detail));
  scene.addEventListener('portico:tour', (event) => {
    const { entityId, stop, stops } = (event as CustomEvent<TourDetail>).detail;
    if (stop !== null && stop === stops - 1) tours.add(entityId);
  });

  /** Returns what was not reported yet. */
  const fresh = (ids: Set<string>): string[] => {
    const found = [...ids].filter((id) => !reported.has(id)).slice(0, 50);
    for (const id of found) reported.add(id);
    return found;
  };

  const leave = (): void => {
    if (since === null) return;
    const report: Report = {
      continued,
      host: hostOf(document.referrer),
      place: scene.dataset['embed'] === 'true' ? 'embed' : 'page',
      device: device(),
      seconds: Math.round((performance.now() - since) / 1000),
      tours: fresh(tours),
      annotations: fresh(annotations),
    };
    since = null;
    continued = true;
    navigator.sendBeacon(`/${scene.dataset['spaceId'] ?? ''}`, JSON.stringify(report));
  };

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) leave();
    else since ??= performance.now();
  });
  // Some browsers hide a page that is left only after its scripts have ended.
  window.addEventListener('pagehide', leave);
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) since ??= performance.now();
  });
}

function hostOf(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return ''; // there is no such page, or it does not say
  }
}

function device(): Report['device'] {
  if (/OculusBrowser|Pico|Wolvic|VisionOS/i.test(navigator.userAgent)) return 'headset';
  if (!matchMedia('(pointer: coarse)').matches) return 'desktop';
  return Math.min(screen.width, screen.height) < 600 ? 'phone' : 'tablet';
}
