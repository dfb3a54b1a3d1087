/**
 * Standard Schemas of the inputs, for form libraries; see `@pawl/core/internal/InputSchemas`.
 *
 * @since 0.1.0
 */
export * from "@pawl/core/internal/InputSchemas"
