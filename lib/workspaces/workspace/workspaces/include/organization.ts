import { organizationDocument } from '../../../organization/organizations/document.ts';
import type { Include } from './including.ts';

export const organization: Include = async ({ parts, found: [first] }) => ({
  resources: first === undefined ? [] : [await organizationDocument(parts.store, first.standing)],
});
