/** The namespace of everything that has not been made in another one. */
export const rootNamespace = 'root';
