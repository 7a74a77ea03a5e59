export const formRule =
  'has to be of the form postgres://user:password@host:port/database, with further host:port after commas';
