/** What is said of `setting-overwrites` that is no object, or that has a name for which no project or organization has a default. */
export const overwritesMessage =
  (known: string) =>
  ({ code }: { readonly code?: string }): string =>
    code === 'unrecognized_keys' ? `may have ${known} only` : 'must be an object';
