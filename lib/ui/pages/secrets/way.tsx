import { secretsUrl } from './address.ts';

/** The way to a folder or a secret, each part a link. */
export function Way({ mount, path }: { readonly mount: string; readonly path: string }) {
  const parts = path.split('/').filter((part) => part !== '');
  const folders = path.endsWith('/') || path === '' ? parts : parts.slice(0, -1);
  return (
    <nav aria-label="Way" class="way">
      <a href="/ui/secrets">Secrets</a>
      <a href={secretsUrl({ mount })}>{mount}</a>
      {folders.map((part, at) => {
        const folder = `${folders.slice(0, at + 1).join('/')}/`;
        return (
          <a key={folder} class="wrap" href={secretsUrl({ mount, folder })}>
            {part}
          </a>
        );
      })}
    </nav>
  );
}
