// Every entity of a catalog-info.yaml, held to the policies that Backstage applies when it takes one in.
import { readFileSync } from 'node:fs';
import {
  DefaultNamespaceEntityPolicy,
  EntityPolicies,
  FieldFormatEntityPolicy,
  NoForeignRootFieldsEntityPolicy,
  SchemaValidEntityPolicy,
  componentEntityV1alpha1Validator,
  groupEntityV1alpha1Validator,
  parseEntityRef,
  resourceEntityV1alpha1Validator,
  stringifyEntityRef,
  systemEntityV1alpha1Validator,
} from '@backstage/catalog-model';
import { parseAllDocuments } from 'yaml';

const validators = {
  Component: componentEntityV1alpha1Validator,
  Group: groupEntityV1alpha1Validator,
  Resource: resourceEntityV1alpha1Validator,
  System: systemEntityV1alpha1Validator,
};
const policy = EntityPolicies.allOf([
  new SchemaValidEntityPolicy(),
  new DefaultNamespaceEntityPolicy(),
  new NoForeignRootFieldsEntityPolicy(),
  new FieldFormatEntityPolicy(),
]);

const entities = [];
for (const document of parseAllDocuments(readFileSync(process.argv[2], 'utf8'))) {
  if (document.errors.length > 0) throw document.errors[0];
  const entity = await policy.enforce(document.toJS());
  if (!(await validators[entity.kind].check(entity))) {
    throw new Error(`${entity.kind} ${entity.metadata.name} is of another kind`);
  }
  entities.push(entity);
}
const known = new Set(entities.map(entity => stringifyEntityRef(entity)));
if (known.size !== entities.length) throw new Error('two entities have one name');
for (const entity of entities) {
  const { dependsOn = [], system, owner } = entity.spec;
  const references = [...dependsOn];
  if (system) references.push(`system:${system}`);
  if (owner && owner !== 'unknown') references.push(owner);
  for (const reference of references) {
    if (!known.has(stringifyEntityRef(parseEntityRef(reference)))) {
      throw new Error(`${entity.metadata.name} refers to ${reference}, which is not there`);
    }
  }
}
console.log(`Backstage: ${entities.length} entities are valid`);
