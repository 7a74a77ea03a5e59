import type { Namespace } from '#core/namespace.ts';
import type { Method } from './store.ts';

/** A method as clients read it. */
export const shownMethod = ({ id, name, settings }: Method, namespace: Namespace): object => ({
  id,
  name,
  type: 'totp',
  ...settings,
  namespace_id: namespace.id,
  namespace_path: namespace.path,
});

/** A listing of ids with the details of each method. */
export const listedMethods = (methods: readonly Method[], namespace: Namespace): { readonly data: object } => ({
  data: {
    keys: methods.map(({ id }) => id),
    key_info: Object.fromEntries(methods.map((method) => [method.id, shownMethod(method, namespace)])),
  },
});
