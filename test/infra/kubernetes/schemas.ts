import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ClusterRoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1/ClusterRoleBinding';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const kinds = {
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ScaledObject,
  Service,
  ServiceAccount,
  TriggerAuthentication,
};
const isKind = (kind: string): kind is keyof typeof kinds => Object.hasOwn(kinds, kind);

const labels = z.record(z.string(), z.string());

/** No npm package has a model of this kind. */
const serviceMonitor = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('ServiceMonitor'),
  metadata: z.strictObject({ name: z.string(), namespace: z.string(), labels }),
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: labels }),
    podTargetLabels: z.array(z.string()),
    endpoints: z.array(
      z.strictObject({ port: z.string(), path: z.string(), interval: z.string(), scrapeTimeout: z.string() }),
    ),
  }),
});

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: labels.default({}) }),
  data: labels.optional(),
  spec: z.unknown().optional(),
});

export type Manifest = z.output<typeof manifest>;

/** The objects of a file, without empty documents. */
export const manifestsOf = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [manifest.parse(value)];
  });

/** @throws Error with the violations of the kind's schema. */
export function validate(one: Manifest): void {
  if (one.kind === 'ServiceMonitor') {
    serviceMonitor.parse(one);
    return;
  }
  if (!isKind(one.kind)) throw new Error(`no schema for ${one.kind}`);
  const model = new kinds[one.kind](JSON.parse(JSON.stringify(one)));
  if (model.apiVersion !== one.apiVersion) throw new Error(`${one.kind} is of ${model.apiVersion}`);
  model.validate();
}
