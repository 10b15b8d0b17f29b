// Detects a headset: the code for headsets is loaded only where there is one.

/** What a headset shows: the space alone, or the space in the room of the visitor. */
export type Reality = 'vr' | 'ar';

export const realities: readonly Reality[] = ['vr', 'ar'];

/** Returns once the browser offers sessions with a headset, which may be connected at any time. */
export function detectHeadset(end: AbortSignal): Promise<void> {
  const system = navigator.xr;
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const offered = await Promise.all(
        realities.map(
          // A page in a frame of another site may not ask.
          (one) => system!.isSessionSupported(`immersive-${one}`).catch(() => false),
        ),
      );
      if (offered.includes(true)) resolve();
    };
    if (!system) return;
    system.addEventListener('devicechange', () => void look(), { signal: end });
    void look();
  });
}
