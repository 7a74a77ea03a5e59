/** A duration in seconds in the format of this API family: `0s`, `30m0s`, `3h25m19s`, `-1s`. */
export function durationText(seconds: number): string {
  const all = Math.abs(seconds);
  const hours = Math.trunc(all / 3600);
  const minutes = Math.trunc((all % 3600) / 60);
  const shown = [...(hours > 0 ? [`${hours}h`] : []), ...(all >= 60 ? [`${minutes}m`] : []), `${all % 60}s`];
  return `${seconds < 0 ? '-' : ''}${shown.join('')}`;
}

/** The same for sentences, without zero parts: `0s`, `30m`, `1h1s`. */
export const shortDurationText = (seconds: number): string =>
  durationText(seconds).replace(/m0s$/, 'm').replace(/h0m/, 'h');
