/** The problem with `setting-overwrites` when it is not an object, or has the name of a setting without a default. */
export const overwritesMessage =
  (known: string) =>
  ({ code }: { readonly code?: string }): string =>
    code === 'unrecognized_keys' ? `may have ${known} only` : 'must be an object';
