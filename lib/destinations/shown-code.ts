/**
 * A remote's error code, as it may be shown. Codes are names; what is none came from something else in its place, which may
 * quote what was sent.
 */
export const shownCode = (code: string): string => (/^[A-Za-z]\w{0,63}$/.test(code) ? code : 'unknown');
