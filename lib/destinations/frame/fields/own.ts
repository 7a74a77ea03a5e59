/** Meta of fields that existing clients of the API family do not know, so omitting such a field keeps its value. */
export const own = { kept: true } as const;

/** The same for fields that decide where calls go or which certificates are trusted. */
export const routing = { ...own, routes: true } as const;
