import type { OpenApiDocument } from '../documents';

interface Operation {
  security?: Record<string, unknown>[];
  parameters?: object[];
}

/**
 * Adds a header parameter for each security scheme of a call except the first, where a call needs several of them. Tools such as
 * Postman's import keep only the first scheme. The parameters are optional: who sends the schemes has sent them.
 */
export function withCredentialParameters(document: OpenApiDocument): OpenApiDocument {
  const added: NonNullable<OpenApiDocument['components']['parameters']> = {};
  const { securitySchemes = {} } = document.components;

  const parameterOf = (schemeName: string) => {
    const { in: place, name, description } = securitySchemes[schemeName] ?? {};
    if (place !== 'header' || name === undefined) return [];
    added[schemeName] = {
      name,
      in: 'header',
      // Never required: of alternatives, a call may use another one.
      ...{ required: false, description: `${description} The same as the security scheme \`${schemeName}\`.` },
      schema: { type: 'string' },
    };
    return [{ $ref: `#/components/parameters/${schemeName}` }];
  };

  const withParameters = (operation: Operation): Operation => {
    const [first = {}] = operation.security ?? document.security ?? [];
    const parameters = Object.keys(first).slice(1).flatMap(parameterOf);
    if (parameters.length === 0) return operation;
    return { ...operation, parameters: [...(operation.parameters ?? []), ...parameters] };
  };

  const paths = Object.entries(document.paths).map(([path, item]) => {
    const members = Object.entries(item).map(([name, member]) => [
      name,
      name === 'parameters' ? member : withParameters(member as Operation),
    ]);
    return [path, Object.fromEntries(members)];
  });
  const parameters = { ...document.components.parameters };
  return {
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...document.components, parameters: Object.assign(parameters, added) },
  };
}
