import { type Config, sealOf } from '../core/config.ts';
import type { KeySettings } from '../core/seal-settings.ts';
import type { StoreOptions } from '../store/open.ts';
import type { OuterKey } from '../store/seal/keys/root-key-source.ts';
import { openStaticKey } from '../store/seal/keys/static-key.ts';

/** The seal of the configuration, and the one that the store may still have. */
export async function sealKeys(config: Config): Promise<Pick<StoreOptions, 'seal' | 'formerSeal'>> {
  const { seal, former } = sealOf(config);
  const open = (settings: KeySettings) => openKey(settings, config.AWS_REGION);
  return {
    seal: seal.type === 'shamir' ? seal.type : await open(seal),
    ...(former === undefined ? {} : { formerSeal: await open(former) }),
  };
}

async function openKey(settings: KeySettings, usualRegion: string | undefined): Promise<OuterKey> {
  if (settings.type === 'static') return openStaticKey(settings);
  // A process without a key service does not load what asks one.
  const { openServiceKey } = await import('../key-services/open.ts');
  return openServiceKey(settings.type, { ...settings, region: settings.region ?? usualRegion });
}
