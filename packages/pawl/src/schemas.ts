/**
 * Standard Schemas of the inputs, for libraries that validate forms with them; see `@pawl/core/internal/InputSchemas`.
 *
 * @since 0.1.0
 */
export * from "@pawl/core/internal/InputSchemas"
