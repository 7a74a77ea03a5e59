import { workspaces } from '#client/operations/workspaces.ts';
import { organizationUrl, workspaceUrl } from '../pages/workspaces/address.ts';
import { itemsOf, pagination } from '../pages/workspaces/document/items.ts';
import { count } from '../parts/relative.ts';
import { api } from '../state/api.ts';
import { eachMax, type Found, type Search } from './kind.ts';

/** Organizations whose workspaces are searched, each by one request. */
const organizationsMax = 10;

/** Organizations and workspaces by a part of their name. `name/` searches in one organization. */
export async function organizations(text: string, signal: AbortSignal): Promise<Search> {
  const slash = text.indexOf('/');
  const [within, wanted] = slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
  const [named, first] = await Promise.all([
    within === undefined ? organizationsLike(text, eachMax, signal) : undefined,
    organizationsLike(within, organizationsMax, signal),
  ]);
  const places = first.names.filter((name) => within === undefined || name === within);
  const parts = await Promise.all(places.map((name) => workspacesIn(name, wanted, signal).catch(() => [])));
  const all = parts.flat().toSorted((a, b) => a.name.length - b.name.length);
  const isCut = within === undefined && first.total > organizationsMax;
  const found = (named?.names ?? []).map(
    (name): Found => ({ kind: 'Organization', name, icon: 'squares', href: organizationUrl(name) }),
  );
  return {
    found: [...found, ...all.slice(0, eachMax)],
    left: [
      ...((named?.total ?? 0) > eachMax ? ['more organizations have this name'] : []),
      ...(isCut
        ? [
            `workspaces of only ${count(organizationsMax)} of ${count(first.total)} organizations are searched, of others after the name and a slash`,
          ]
        : []),
      ...(all.length > eachMax || parts.some(({ length }) => length >= eachMax)
        ? ['more workspaces have this name']
        : []),
    ],
  };
}

async function organizationsLike(text: string | undefined, most: number, signal: AbortSignal) {
  const query = { 'page[number]': 1, 'page[size]': most, ...(text === undefined ? {} : { q: text }) };
  const reply = await api.call(workspaces.organizations, {}, query, { signal });
  return {
    names: itemsOf(reply).map((one) => one.text('name')),
    total: Number(pagination(reply, 'total-count') || 0),
  };
}

async function workspacesIn(organization: string, text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const query = { 'page[number]': 1, 'page[size]': eachMax, ...(text === '' ? {} : { 'search[name]': text }) };
  const reply = await api.call(workspaces.list, { organization_name: organization }, query, { signal });
  return itemsOf(reply).map((one) => {
    const name = one.text('name');
    return {
      kind: 'Workspace',
      name: `${organization}/${name}`,
      icon: 'squares',
      href: workspaceUrl(organization, name),
    };
  });
}
