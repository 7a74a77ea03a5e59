import { ConfigError } from '#core/config.ts';
import type { OuterKey } from '#store/seal/keys/root-key-source.ts';
import type { KeyService, KeyServiceSettings, KeyServiceType } from './contract.ts';
import { outerKeyBy } from './outer-key.ts';

interface Module {
  openKeyService(settings: KeyServiceSettings): KeyService;
}

/** A process loads only the client of its own key service. */
const modules = {
  'cloud-a-kms': () => import('./cloud-a-kms/index.ts'),
  'cloud-b-keys': () => import('./cloud-b-keys/index.ts'),
  'cloud-c-kms': () => import('./cloud-c-kms/index.ts'),
} satisfies Record<KeyServiceType, () => Promise<Module>>;

/** Opens a key of a key service as a seal. @throws ConfigError for settings that name no key */
export async function openServiceKey(type: KeyServiceType, settings: KeyServiceSettings): Promise<OuterKey> {
  const { openKeyService } = await modules[type]().catch((cause: unknown) => {
    throw new ConfigError(
      `KEYFERRY_SEAL ${type} is not part of this program: bundles of functions contain only cloud-a-kms`,
      {
        cause,
      },
    );
  });
  return outerKeyBy(openKeyService(settings));
}
