/** Meta of fields that existing clients of the API family do not know: what they leave out is not meant to go. */
export const own = { kept: true } as const;

/** Of those, the ones that say where calls go, or whose certificates are trusted on the way. */
export const routing = { ...own, routes: true } as const;
