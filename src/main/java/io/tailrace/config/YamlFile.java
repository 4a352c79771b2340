package io.tailrace.config;

import java.io.Reader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * A YAML file of nested mappings, flattened to {@code section.key}, every value as the text that was written.
 *
 * <p>Nodes are read, not objects: YAML's own idea of types would turn {@code 1:30} into ninety and lose the line numbers.
 */
final class YamlFile {
    private final String name;
    private final Map<String, Settings.Setting> settings = new LinkedHashMap<>();
    private final List<ConfigException.Problem> problems;

    private YamlFile(String name, List<ConfigException.Problem> problems) {
        this.name = name;
        this.problems = problems;
    }

    /** What is wrong with the file is added to {@code problems}; what is right is returned, in its order. */
    static Map<String, Settings.Setting> read(String name, Reader reader, List<ConfigException.Problem> problems) {
        YamlFile file = new YamlFile(name, problems);
        LoaderOptions options = new LoaderOptions();
        options.setNestingDepthLimit(10);
        try {
            file.flatten("", new Yaml(options).compose(reader));
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            file.problem(name + " line " + line + " is not YAML: " + e.getProblem());
        } catch (YAMLException e) {
            file.problem(name + " is not YAML: " + e.getMessage());
        }
        return file.settings;
    }

    private void flatten(String prefix, @Nullable Node node) {
        if (node == null) {
            return;
        }
        if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                if (tuple.getKeyNode() instanceof ScalarNode key) {
                    flatten(prefix.isEmpty() ? key.getValue() : prefix + "." + key.getValue(), tuple.getValueNode());
                } else {
                    problem(at(tuple.getKeyNode()) + ": a key must be a word");
                }
            }
        } else if (prefix.isEmpty()) {
            problem(name + " must hold sections with keys, like \"database:\"");
        } else if (node instanceof ScalarNode scalar) {
            put(prefix, scalar);
        } else {
            problem(at(node) + ": " + prefix + " must be a single value, not a list");
        }
    }

    private void put(String key, ScalarNode scalar) {
        Settings.Setting before = settings.putIfAbsent(key, new Settings.Setting(scalar.getValue(), at(scalar)));
        if (before != null) {
            problem(at(scalar) + ": " + key + " is set twice, first at " + before.source());
        }
    }

    private String at(Node node) {
        return name + " line " + (node.getStartMark().getLine() + 1);
    }

    private void problem(String text) {
        problems.add(new ConfigException.Problem("", text));
    }
}
